import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type * as Configuration from '../../../config.ts'
import type * as Application from '../../../server.ts'
import { copyWithExamples } from '@hull/test-helpers/doc-examples.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'

const root = copyWithExamples(t, 'docs/http.md', {
  openapi: { ui: false },
  permissions: {},
  visitors: {},
  websocket: {}
})

/** Builds the application with the examples. */
async function createApp(t: Test) {
  const { readConfig } = (await import(join(root, 'config.ts'))) as typeof Configuration
  const { buildServer } = (await import(join(root, 'server.ts'))) as typeof Application
  const app = await buildServer(
    readConfig({ DATA_DIR: createFolder(t), INBOX: 'off', MAX_EVENT_LOOP_DELAY: '0', LOG_LEVEL: 'silent' })
  )
  t.teardown(() => app.close())
  return app
}

const app = await createApp(t)

t.test('the route of docs/http.md validates requests and serializes responses by its schema', async (t) => {
  const created = await app.inject({ method: 'POST', url: '/api/orders', payload: { article: 'rope', pieces: 2 } })
  t.equal(created.statusCode, 201)
  t.same(created.json(), { id: 1, article: 'rope' })
  const refused = await app.inject({ method: 'POST', url: '/api/orders', payload: { article: 'rope', pieces: 0 } })
  t.equal(refused.statusCode, 400)
  t.match(refused.headers['content-type'], 'application/problem+json')
  t.match(refused.json(), { code: 'FST_ERR_VALIDATION', detail: /pieces/ })
})

t.test('the security headers include the defaults and the values that docs/http.md replaces', async (t) => {
  const { headers } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  t.match(headers, {
    'content-security-policy': /frame-ancestors 'none'/,
    'permissions-policy': /^geolocation=\(self\), camera=\(\)/,
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin'
  })
})

t.test('the route for uploaded files serves those that are written while the server runs', async (t) => {
  const { dataDir } = app.hull.config
  mkdirSync(join(dataDir, 'uploads/folder'))
  writeFileSync(join(dataDir, 'uploads/late.svg'), '<svg/>')
  const { statusCode, headers } = await app.inject({ url: '/uploads/late.svg', headers: { range: 'bytes=0-2' } })
  t.equal(statusCode, 206)
  t.match(headers, {
    'content-type': 'image/svg+xml',
    'content-security-policy': /^sandbox;/,
    'cache-control': 'public, max-age=3600',
    'x-content-type-options': 'nosniff'
  })
  for (const name of ['missing.svg', '../session-secret', '%2e%2e/session-secret', '', 'folder', 'folder/'])
    t.equal((await app.inject(`/uploads/${name}`)).statusCode, 404, name)
})

t.test('the hook for every request redirects, and sets its cookie only on pages', async (t) => {
  const moved = await app.inject({ url: '/catalogue?from=mail', headers: { accept: 'text/html' } })
  t.match(moved, { statusCode: 308, headers: { location: '/' } })
  const variantOf = async (url: string, cookie = '') => {
    const { cookies } = await app.inject({ url, headers: { accept: 'text/html', cookie } })
    return cookies.find(({ name }) => name === 'variant')?.value
  }
  t.match(await variantOf('/'), /^[ab]$/)
  t.match(await variantOf('/-/data/'), /^[ab]$/)
  t.equal(await variantOf('/', 'variant=b'), undefined, 'the visitor keeps the variant')
  t.equal(await variantOf('/favicon.svg'), undefined)
  t.equal(await variantOf('/api/partners/prices'), undefined)
})

t.test('requests from other sites are refused, except from allowed origins', async (t) => {
  const post = async (url: string, origin: string) => {
    const headers = { 'sec-fetch-site': 'cross-site', origin, 'content-type': 'text/plain' }
    return app.inject({ method: 'POST', url, headers, payload: '{}' })
  }
  const refused = await post('/api/orders', 'https://evil.example')
  t.equal(refused.statusCode, 403)
  t.match(refused.headers['content-type'], 'application/problem+json')
  t.match(refused.json(), { status: 403, code: 'APP_CROSS_SITE_REQUEST' })
  t.equal((await post('/webhooks/paid', 'https://hooks.example')).statusCode, 204)
  t.equal((await post('/webhooks/paid', 'https://evil.example')).statusCode, 403)
  t.equal((await post('/webhooks/feedback', 'https://evil.example')).statusCode, 204)
  t.equal(
    (await app.inject({ method: 'POST', url: '/webhooks/paid' })).statusCode,
    204,
    'a request of a server is allowed'
  )
})

t.test('CORS and the check for cross-site requests allow the same origins', async (t) => {
  const send = (method: 'GET' | 'POST' | 'OPTIONS', url: string, origin: string) =>
    app.inject({
      method,
      url,
      headers: { 'sec-fetch-site': 'cross-site', origin, 'access-control-request-method': 'POST' }
    })
  const allowed = (response: Awaited<ReturnType<typeof send>>) => response.headers['access-control-allow-origin']

  const preflight = await send('OPTIONS', '/api/partners/orders', 'https://partner.example')
  t.equal(preflight.statusCode, 204)
  t.equal(allowed(preflight), 'https://partner.example')
  t.equal(preflight.headers['access-control-allow-methods'], 'GET, POST')
  for (const [method, url, status] of [
    ['GET', '/api/partners/prices', 200],
    ['POST', '/api/partners/orders', 201]
  ] as const) {
    const partner = await send(method, url, 'https://partner.example')
    t.equal(partner.statusCode, status, url)
    t.equal(allowed(partner), 'https://partner.example', url)
    t.match(partner.headers.vary, /origin/i)
    const otherSite = await send(method, url, 'https://evil.example')
    t.equal(otherSite.statusCode, method === 'GET' ? 200 : 403, url)
    t.equal(allowed(otherSite), undefined, url)
  }
  t.equal(
    allowed(await send('GET', '/api/greeting', 'https://partner.example')),
    undefined,
    'CORS applies only to routes of its file'
  )
})

t.test('the OpenAPI description lists routes with a schema, and no pages', async (t) => {
  const response = await app.inject('/api/openapi.json')
  t.equal((await app.inject('/api/docs')).statusCode, 404, 'Swagger UI is off')
  const { openapi, paths } = response.json()
  t.equal(openapi, '3.1.0')
  t.same(Object.keys(paths).sort(), ['/api/orders', '/news'])
  const { post } = paths['/api/orders']
  t.same(post.requestBody.content['application/json'].schema.required, ['article', 'pieces'])
  t.same(Object.keys(post.responses), ['201'])
})
