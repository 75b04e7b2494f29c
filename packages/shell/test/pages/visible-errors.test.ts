import t from 'tap'
import type { InjectOptions } from 'fastify'
import { markVisible, visibleError } from '../../../common/src/visible-error.ts'
import { NoPage } from '../../src/errors.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const { app, logs } = await createTestApp(t, { site })

/** Errors of libraries, whose status codes and other properties do not make their message public. */
const LIBRARY = {
  'a status': () => Object.assign(new Error('secret'), { statusCode: 400 }),
  'a status and a code': () => Object.assign(new Error('secret'), { statusCode: 409, code: 'SECRET_CODE' }),
  'a status and `expose`': () => Object.assign(new Error('secret'), { statusCode: 422, status: 422, expose: true }),
  'status 401': () => Object.assign(new Error('secret'), { statusCode: 401 }),
  'status 404 and a number as its code': () => Object.assign(new Error('secret'), { statusCode: 404, code: 11000 }),
  'status 499': () => Object.assign(new Error('secret'), { statusCode: 499 }),
  'status 503': () => Object.assign(new Error('secret'), { statusCode: 503, code: 'APP_SECRET' }),
  'another code of Fastify': () => Object.assign(new Error('secret'), { statusCode: 400, code: 'FST_ERR_JWT_BAD' })
}

/** Errors with a message for visitors. */
const VISIBLE = {
  'made by visibleError': [() => visibleError('SHOP_SOLD_OUT', 'The last one is sold.', 409), 409, 'SHOP_SOLD_OUT'],
  'made by visibleError, without a status': [() => visibleError('SHOP_ODD', 'That is odd.'), 400, 'SHOP_ODD'],
  'made by visibleError, as 404': [() => visibleError('SHOP_GONE', 'Gone.', 404), 404, 'SHOP_GONE'],
  'made by markVisible': [
    () => markVisible(Object.assign(new Error('Changed meanwhile.'), { statusCode: 412 })),
    412,
    'APP_BAD_REQUEST'
  ],
  'made by createError': [() => new NoPage(), 404, 'APP_NO_PAGE']
} as const

let toThrow: () => unknown = () => undefined
app.get('/routes/throws', async () => {
  throw toThrow()
})
app.get('/routes/sends', (_request, reply) => reply.send(toThrow()))
const failingHook = async () => {
  throw toThrow()
}
app.get('/routes/on-request', { onRequest: failingHook }, async () => 'never')
app.get('/routes/pre-handler', { preHandler: failingHook }, async () => 'never')
app.get('/api/throws', failingHook)
app.post('/routes/json', { schema: { body: { type: 'object', required: ['name'] } } }, async ({ body }) => body)

const ADDRESSES = ['throws', 'sends', 'on-request', 'pre-handler'].map((name) => `/routes/${name}`)
const HTML = { accept: 'text/html' }
const JSON_HEADERS = { accept: 'application/json' }

for (const [what, make] of Object.entries(LIBRARY)) {
  t.test(`an error of a library with ${what} is a 500, is logged, and is not shown`, async (t) => {
    toThrow = make
    for (const url of [...ADDRESSES, '/api/throws']) {
      for (const headers of [HTML, JSON_HEADERS]) {
        const response = await app.inject({ url, headers })
        t.equal(response.statusCode, 500, url)
        t.notMatch(response.body, /secret/i, url)
        const errors = logs.takeErrors()
        t.match(errors, [{ msg: 'request failed', err: { message: 'secret' } }], url)
        t.match(response.body, errors[0]!.digest as string, `${url} shows the digest of the log line`)
      }
    }
  })
}

t.test('an error of a library in a page, its data or its action is a 500', async (t) => {
  for (const what of ['library', 'hidden', 'upstream']) {
    for (const request of [
      { url: `/fail/data?throw=${what}`, headers: HTML },
      { url: `/fail/data?throw=${what}`, headers: JSON_HEADERS },
      { url: `/-/data/fail/data?throw=${what}` },
      { url: `/fail/action?throw=${what}`, method: 'POST', headers: HTML },
      { url: `/fail/action?throw=${what}`, method: 'POST', headers: JSON_HEADERS }
    ] satisfies InjectOptions[]) {
      const response = await app.inject(request)
      t.equal(response.statusCode, 500, request.url)
      t.notMatch(response.body, /secret/i, request.url)
      t.equal(logs.takeErrors().length, 1, request.url)
    }
  }
})

for (const [what, [make, status, code]] of Object.entries(VISIBLE)) {
  t.test(`an error ${what} is shown to the visitor and not reported`, async (t) => {
    toThrow = make
    const { message } = make()
    for (const url of ADDRESSES) {
      const page = await app.inject({ url, headers: HTML })
      t.equal(page.statusCode, status, url)
      t.match(page.body, message)
      t.match((await app.inject({ url, headers: JSON_HEADERS })).json(), { status, code, detail: message }, url)
    }
    t.same(logs.takeErrors(), [])
  })
}

t.test('a visible error in a page or its data is shown', async (t) => {
  for (const [what, status, code, message] of [
    ['coded', 418, 'SHOP_TEAPOT', 'The teapot is hot.'],
    ['marked', 409, 'APP_BAD_REQUEST', 'Marked by the team.']
  ] as const) {
    const response = await app.inject({ url: `/fail/data?throw=${what}`, headers: HTML })
    t.equal(response.statusCode, status)
    t.match(response.body, message)
    t.match((await app.inject(`/-/data/fail/data?throw=${what}`)).json(), { status, code, detail: message })
  }
  t.same(logs.takeErrors(), [])
})

t.test('a request that cannot be parsed gets the message of Fastify', async (t) => {
  const json = { ...JSON_HEADERS, 'content-type': 'application/json' }
  const url = '/routes/json'
  for (const [request, status, code] of [
    [{ payload: '{"other":1}', headers: json }, 400, 'FST_ERR_VALIDATION'],
    [{ payload: '{', headers: json }, 400, 'FST_ERR_CTP_INVALID_JSON_BODY'],
    [{ payload: '{"__proto__":1}', headers: json }, 400, 'FST_ERR_CTP_INVALID_JSON_BODY'],
    [{ payload: '', headers: json }, 400, 'FST_ERR_CTP_EMPTY_JSON_BODY'],
    [{ payload: 'x', headers: { ...json, 'content-type': 'a/b' } }, 415, 'FST_ERR_CTP_INVALID_MEDIA_TYPE'],
    [{ payload: 'x'.repeat(2_000_000), headers: json }, 413, 'FST_ERR_CTP_BODY_TOO_LARGE'],
    [{ payload: 'x', headers: { ...json, 'content-encoding': 'odd' } }, 415, 'FST_CP_ERR_INVALID_CONTENT_ENCODING'],
    [{ payload: 'x', headers: { ...json, 'content-encoding': 'gzip' } }, 400, 'FST_CP_ERR_INVALID_CONTENT'],
    [{ method: 'QUERY' as 'POST', headers: JSON_HEADERS }, 400, 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE']
  ] as const)
    t.match((await app.inject({ url, method: 'POST', ...request })).json(), { status, code })
  t.same(logs.takeErrors(), [])
})

t.test('visibleError accepts only status codes of client errors', async (t) => {
  for (const status of [200, 399, 500, Number.NaN])
    t.throws(() => visibleError('SHOP_ODD', 'Odd.', status), { name: 'RangeError', message: /from 400 to 499/ })
})
