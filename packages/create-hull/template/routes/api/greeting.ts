import type { FastifyInstance } from 'fastify'

/** Schema of the query. Fastify answers 400 to any other. */
const querystring = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1, maxLength: 40 } },
  required: ['name']
}

/** Registered below `/api`, after the folder's name. */
export default async function greeting(app: FastifyInstance) {
  app.get<{ Querystring: { name: string } }>('/greeting', { schema: { querystring } }, async function greet({ query }) {
    return { greeting: `Hello, ${query.name}` }
  })
}
