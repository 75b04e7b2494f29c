import type { FastifyInstance } from 'fastify'
import { createFlaky } from './flaky.ts'

/** Prefix of the routes below, in place of the folder's name. */
export const autoPrefix = '/lab-api'

/** Endpoints that the lab's pages fetch. */
export default async function lab(app: FastifyInstance): Promise<void> {
  if (!app.hull.config.lab) return
  const flaky = createFlaky()
  app.navigation.push({ href: '/lab', label: 'Lab' })

  app.get<{ Querystring: Record<string, unknown> }>('/flaky', async function answerInTheEnd({ query }, reply) {
    const key = String(query['key']).slice(0, MAX_KEY_LENGTH)
    const attempts = flaky.attempt(key, Number(query['fail']))
    reply.code(attempts.at(-1)!.status).header('cache-control', 'no-store')
    return { attempts }
  })
}

/** Maximum characters of a key, since keys are stored. */
const MAX_KEY_LENGTH = 64
