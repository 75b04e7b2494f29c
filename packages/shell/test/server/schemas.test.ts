import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { FASTIFY_SETTINGS } from '@hull/test-helpers/fastify-settings.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { createFastify } from '../../src/server/create-fastify.ts'

const NAMED = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

const RESULT = { type: 'object', properties: { id: { type: 'integer' } } }

const WRONG = {
  'an unknown type': { type: 'text' },
  'an unknown keyword': { type: 'object', propertis: {} },
  'a keyword with a wrong value': { type: 'object', required: 'name', properties: {} },
  'a property that is not a schema': { type: 'object', properties: { name: 'string' } },
  'a wrong pattern': { type: 'string', pattern: '(' },
  'an unknown format': { type: 'string', format: 'phone' },
  'a reference to nothing': { $ref: '#/definitions/name' }
}

for (const [what, querystring] of Object.entries(WRONG))
  t.test(`a route whose schema has ${what} stops the start with the path of the route`, async (t) => {
    const app = createFastify(FASTIFY_SETTINGS)
    t.teardown(() => app.close())
    app.get('/search', { schema: { querystring } }, async () => 'ok')
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_SCH_VALIDATION_BUILD', message: /\/search/ })
  })

t.test(
  'an application compiles a schema with its first request, and an invalid one fails the request and /readyz',
  async (t) => {
    const { app, logs } = await createTestApp(t)
    app.get('/search', { schema: { querystring: NAMED, response: { 200: RESULT } } }, async () => ({
      id: 7,
      secret: 1
    }))
    app.get('/wrong', { schema: { querystring: { type: 'text' } } }, async () => 'ok')
    app.get('/wrong-answer', { schema: { response: { 200: { $ref: '#/definitions/name' } } } }, async () => ({}))

    for (const round of ['first', 'second']) {
      t.equal((await app.inject('/search')).statusCode, 400, round)
      t.same((await app.inject('/search?name=Ada')).json(), { id: 7 }, round)
    }

    for (const [url, code] of [
      ['/wrong', 'FST_ERR_SCH_VALIDATION_BUILD'],
      ['/wrong-answer', 'FST_ERR_SCH_SERIALIZATION_BUILD']
    ] as const) {
      t.equal((await app.inject(url)).statusCode, 500)
      t.match(logs.takeErrors(), [{ err: { code, message: new RegExp(`GET: ${url},`) } }])
    }

    const { statusCode, body } = await app.inject('/readyz')
    t.equal(statusCode, 503)
    t.match(JSON.parse(body), { checks: { schemas: 'failed' } })
  }
)

t.test('an application is ready when all schemas are compiled', async (t) => {
  const { app } = await createTestApp(t)
  app.addSchema({ $id: 'named', ...NAMED })
  app.get('/search', { schema: { querystring: { $ref: 'named#' } } }, async () => 'ok')
  // A check that takes longer than its timeout fails, and is requested again.
  await eventually(async () => (await app.inject('/readyz')).json().checks.schemas === 'ok')
  t.equal((await app.inject('/search')).statusCode, 400)
})
