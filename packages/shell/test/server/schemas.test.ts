import t from 'tap'
import { createFastify } from '../../src/server/create-fastify.ts'

const settings = {
  logLevel: 'silent',
  environment: 'test',
  bodyLimit: 1_000,
  renderTimeout: 1_000,
  trustProxy: false
} as const

const WRONG = {
  'an unknown type': { type: 'text' },
  'an unknown keyword': { type: 'object', propertis: {} },
  'a keyword with a wrong value': { type: 'object', required: 'name', properties: {} },
  'a property that is no schema': { type: 'object', properties: { name: 'string' } },
  'a wrong pattern': { type: 'string', pattern: '(' },
  'an unknown format': { type: 'string', format: 'phone' },
  'a reference to nothing': { $ref: '#/definitions/name' }
}

for (const [what, querystring] of Object.entries(WRONG))
  t.test(`a route whose schema has ${what} makes the start fail, with its address`, async (t) => {
    const app = createFastify(settings)
    t.teardown(() => app.close())
    app.get('/search', { schema: { querystring } }, async () => 'ok')
    await t.rejects(async () => app.ready(), { code: 'FST_ERR_SCH_VALIDATION_BUILD', message: /\/search/ })
  })
