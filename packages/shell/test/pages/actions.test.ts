import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createListeningApp, createTestApp } from '@hull/test-helpers/app.ts'
import { RawClient, request } from '@hull/test-helpers/raw-client.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const FORM = 'application/x-www-form-urlencoded'
const FOREIGN: Array<Record<string, string>> = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'nonsense' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://localhost:81' },
  { origin: 'https://localhost' },
  { origin: 'no origin' },
  { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' }
]

interface Post {
  url?: string
  body?: string | Buffer
  type?: string | null
  headers?: Record<string, string>
}

async function createPoster(t: Test, env: Record<string, string> = {}) {
  const { app, logs } = await createTestApp(t, { site, env })
  const post = ({ url = '/form', body = 'name=Ada', type = FORM, headers = {} }: Post = {}) =>
    app.inject({
      method: 'POST',
      url,
      body,
      headers: { host: 'localhost', ...(type === null ? {} : { 'content-type': type }), ...headers }
    })
  return { app, logs, post }
}

function multipart(...parts: string[]) {
  const lines = parts.map((part) => `--cut\r\nContent-Disposition: form-data; ${part}\r\n`)
  return { type: 'multipart/form-data; boundary=cut', body: lines.join('') + '--cut--\r\n' }
}

t.test('a successful action redirects to its page, or to the path that it returns', async (t) => {
  const { post } = await createPoster(t)
  const back = await post({ url: '/form?step=2' })
  t.equal(back.statusCode, 303)
  t.equal(back.headers.location, '/form?step=2')
  t.equal(back.headers['cache-control'], 'private, no-store')
  const away = await post({ body: 'name=away' })
  t.equal(away.statusCode, 303)
  t.equal(away.headers.location, '/about')
})

t.test('a refused form is shown again with its errors and the typed values, except passwords', async (t) => {
  const { post } = await createPoster(t)
  const response = await post({ body: 'name=&mail=%22%3E%3Cb%3Eada&password=hunter2&newPasswordAgain=hunter3' })
  t.equal(response.statusCode, 422)
  t.match(response.headers['content-type'], 'text/html')
  t.match(response.headers['cache-control'], 'private')
  t.match(response.body, '<p class="error">Say who you are.</p>')
  t.match(response.body, 'value="&quot;&gt;&lt;b&gt;ada"')
  t.match(response.body, 'data of the form page')
  t.notMatch(response.body, /hunter[23]/)
})

t.test('a refused form has the status code that its action returns, for browsers and programs', async (t) => {
  const { post } = await createPoster(t)
  for (const status of [400, 409, 429, 499]) {
    const body = `name=&mail=a&password=hunter2&status=${status}`
    const page = await post({ body })
    t.equal(page.statusCode, status)
    t.match(page.headers['content-type'], 'text/html')
    t.match(page.body, '<p class="error">Say who you are.</p>')
    t.match(page.body, 'value="a"')
    t.notMatch(page.body, 'hunter2')
    const data = await post({ body, headers: { accept: 'application/json' } })
    t.equal(data.statusCode, status)
    t.match(data.json(), { form: { errors: { name: 'Say who you are.' }, values: { mail: 'a' } } })
  }
})

t.test('a form without a body is an empty form', async (t) => {
  const { app, post } = await createPoster(t)
  t.equal((await post({ body: '' })).statusCode, 422)
  t.equal((await app.inject({ method: 'POST', url: '/form' })).statusCode, 422)
})

t.test('a program gets a JSON response with the redirect or the errors', async (t) => {
  const { post } = await createPoster(t)
  const headers = { accept: 'application/json' }
  const done = await post({ body: 'name=away', headers })
  t.equal(done.statusCode, 200)
  t.equal(done.headers.location, undefined)
  t.same(done.json(), { redirect: '/about', permanent: false, replace: false })
  const refused = await post({ body: 'name=&mail=a&password=hunter2', headers })
  t.equal(refused.statusCode, 422)
  t.equal(refused.headers['cache-control'], 'private, no-store')
  t.match(refused.json(), { page: '/pages/form.tsx', form: { errors: { name: 'Say who you are.' } } })
  t.same(refused.json().form.values, { name: '', mail: 'a' })
})

t.test('an action can send its own response', async (t) => {
  const { post } = await createPoster(t)
  for (const body of ['', 'wait=']) {
    const { statusCode, headers, body: sent } = await post({ url: '/own-answer', body })
    t.same([statusCode, sent], [200, 'rope,12.50\n'])
    t.match(headers, { 'content-type': /^text\/csv/, 'content-disposition': /prices\.csv/ })
  }
})

t.test('the time that a visitor needs to send a form does not count for RENDER_TIMEOUT', async (t) => {
  const { port } = await createListeningApp(t, { site, env: { RENDER_TIMEOUT: '1s' } })
  const client = await RawClient.open(port)
  client.send(
    request('POST /form HTTP/1.1', ['Host: localhost', `Content-Type: ${FORM}`, 'Content-Length: 16'], 'name=Ada')
  )
  await pause(1_500)
  client.send('&wait=10')
  t.equal((await client.answer()).status, 303)
})

t.test('a file of a multipart form has its name and size', async (t) => {
  const { post } = await createPoster(t)
  const response = await post(multipart('name="file"; filename="Ü & b.txt"\r\n\r\n12345'))
  t.equal(response.statusCode, 303)
  t.equal(response.headers.location, `/form?file=${encodeURIComponent('Ü & b.txt')}&size=5`)
  t.equal((await post(multipart('name="name"\r\n\r\nAda'))).headers.location, '/form')
})

t.test('a body that is not a form is 415', async (t) => {
  const { post } = await createPoster(t)
  for (const type of ['application/json', 'text/plain', 'application/octet-stream', 'x/y', FORM + '2', 'garbage']) {
    const response = await post({ type, body: '{"name":"Ada"}', headers: { accept: 'application/json' } })
    t.equal(response.statusCode, 415, type)
    t.match(response.headers['content-type'], 'application/problem+json')
  }
  t.equal((await post({ type: null })).statusCode, 415, 'no content type')
})

t.test('a malformed form is 400', async (t) => {
  const { post } = await createPoster(t)
  for (const [type, body] of [
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=cut', 'nothing between'],
    ['multipart/form-data; boundary=cut', '--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\nnever ends'],
    ['multipart/form-data; boundary=cut', '--cut\r\nContent-Disposition: nonsense\r\n\r\na\r\n--cut--\r\n'],
    ['multipart/form-data; boundary=', '--\r\n\r\n']
  ] as const) {
    const response = await post({ type, body })
    t.equal(response.statusCode, 400, `${type}: ${body}`)
    t.match(response.body, 'APP_FORM_MALFORMED')
  }
})

t.test('a body of BODY_LIMIT is read, and one byte more is 413', async (t) => {
  const { post } = await createPoster(t, { BODY_LIMIT: '1KiB' })
  t.equal((await post({ body: `name=${'x'.repeat(1024 - 5)}` })).statusCode, 303)
  const response = await post({ body: `name=${'x'.repeat(1024 - 4)}` })
  t.equal(response.statusCode, 413)
  t.match(response.headers['content-type'], 'text/html')
})

t.test('a POST from another site is refused before its body is parsed', async (t) => {
  const { post } = await createPoster(t)
  for (const headers of FOREIGN) {
    const response = await post({ type: 'application/json', headers })
    t.equal(response.statusCode, 403, JSON.stringify(headers))
    t.match(response.body, 'APP_CROSS_SITE_POST')
  }
})

t.test('a POST from this site, or from a client that is not a browser, is accepted', async (t) => {
  const { post } = await createPoster(t)
  const own: Array<Record<string, string>> = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://localhost' },
    { origin: 'http://localhost:80' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://behind.example' }
  ]
  for (const headers of own) {
    t.equal((await post({ headers })).statusCode, 303, JSON.stringify(headers))
  }
})

t.test('behind a proxy the origin is that of BASE_URL, with any Host header', async (t) => {
  const { post } = await createPoster(t, { BASE_URL: 'https://app.example' })
  t.equal((await post({ headers: { host: 'inner:3000', origin: 'https://app.example' } })).statusCode, 303)
  t.equal((await post({ headers: { host: 'evil.example', origin: 'http://evil.example' } })).statusCode, 403)
  t.equal(
    (await post({ headers: { 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' } })).statusCode,
    403
  )
})

t.test('a page without an action, and the methods HEAD, PUT and DELETE, run no action', async (t) => {
  const { app, post } = await createPoster(t)
  const response = await post({ url: '/about' })
  t.equal(response.statusCode, 405)
  t.equal(response.headers.allow, 'GET, HEAD')
  t.equal((await post({ url: '/nowhere' })).statusCode, 404)
  const head = await app.inject({ method: 'HEAD', url: '/form' })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
  for (const method of ['PUT', 'DELETE', 'PATCH'] as const) {
    const refused = await app.inject({ method, url: '/form' })
    t.equal(refused.statusCode, 405, method)
    t.equal(refused.headers.allow, 'GET, HEAD, POST')
  }
  t.equal((await post({ url: '/-/data/form' })).statusCode, 405)
})

t.test('an action that fails is 500, and its log line has the digest', async (t) => {
  const { post, logs } = await createPoster(t)
  const response = await post({ url: '/fail/action' })
  t.equal(response.statusCode, 500)
  t.notMatch(response.body, 'secret action detail')
  const [line] = logs.takeErrors()
  t.match(response.body, `Digest: ${String(line?.digest)}`)
})
