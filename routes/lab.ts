import type { FastifyInstance } from 'fastify'
import { createFlaky } from './lab/flaky.ts'

/** What the lab's pages fetch. Checked without a schema: the first one of an application makes its start 50 ms longer. */
export default async function lab(app: FastifyInstance): Promise<void> {
  const flaky = createFlaky()
  app.navigation.push({ href: '/lab', label: 'Lab' })

  app.get<{ Querystring: Record<string, unknown> }>('/lab-api/flaky', async function answerInTheEnd({ query }, reply) {
    const key = String(query['key']).slice(0, MAX_KEY_LENGTH)
    const attempts = flaky.attempt(key, Number(query['fail']))
    reply.code(attempts.at(-1)!.status).header('cache-control', 'no-store')
    return { attempts }
  })
}

/** Characters of a key: it is kept. */
const MAX_KEY_LENGTH = 64
