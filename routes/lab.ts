import type { FastifyInstance } from 'fastify'
import { createFlaky } from './lab/flaky.ts'

const FlakyQuery = {
  type: 'object',
  required: ['fail', 'key'],
  properties: {
    fail: { type: 'integer', minimum: 0, maximum: 20 },
    key: { type: 'string', minLength: 1, maxLength: 64 }
  }
} as const

interface FlakyQuery {
  fail: number
  key: string
}

/** What the lab's pages fetch. */
export default async function lab(app: FastifyInstance): Promise<void> {
  const flaky = createFlaky()
  app.navigation.push({ href: '/lab', label: 'Lab' })

  app.get<{ Querystring: FlakyQuery }>(
    '/lab-api/flaky',
    { schema: { querystring: FlakyQuery } },
    async function answerInTheEnd(request, reply) {
      const attempts = flaky.attempt(request.query.key, request.query.fail)
      reply.code(attempts.at(-1)!.status).header('cache-control', 'no-store')
      return { attempts }
    }
  )
}
