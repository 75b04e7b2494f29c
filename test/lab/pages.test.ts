import t from 'tap'
import { CATALOGUE } from '../../client/components/lab/catalogue.ts'
import { createTestApp } from '@hull/test-helpers/app.ts'

/** Status codes of the listed paths, if other than 200. */
const STATUSES: Record<string, number> = {
  '/lab/items/999': 404,
  '/lab/docs': 404,
  '/lab/redirect': 302,
  '/lab/redirect-loop': 500,
  '/lab/unauthorized': 401,
  '/lab/forbidden': 403,
  '/lab/missing': 404,
  '/lab/flaky?fail=4': 500,
  '/lab/never': 500,
  '/lab/slow?ms=15000': 500,
  '/lab/error/data': 500,
  '/lab/error/render': 500
}

const ADDRESSES = CATALOGUE.flatMap(({ behaviours }) =>
  behaviours.flatMap(({ href, also = [] }) => [href, ...also.map(([to]) => to)])
)

const headers = { accept: 'text/html' }
const FORM = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }

t.test('every listed path answers with its status code', async (t) => {
  const { app, logs } = await createTestApp(t, { env: { RENDER_TIMEOUT: '3000' } })
  // Concurrent requests, because some pages are slow on purpose. Streams are requested one after the other, because
  // their first part must be sent before their late part ends.
  const [streams, others] = [true, false].map((isStream) =>
    ADDRESSES.filter((url) => url.startsWith('/lab/stream') === isStream)
  ) as [string[], string[]]
  const load = async (url: string) => ({ url, response: await app.inject({ url, headers }) })
  const results = await Promise.all(others.map(load))
  for (const url of streams) results.push(await load(url))
  for (const { url, response } of results) {
    const { statusCode, body } = response
    t.equal(statusCode, STATUSES[url] ?? STATUSES[url.split('?in=')[0]!] ?? 200, url)
    if (statusCode !== 302) t.match(body, /<h1|data-codec/, url)
    t.notMatch(body, / style=|<style/, url)
  }
  logs.takeErrors()
})

t.test('without the lab, its paths are 404 and no page links to it', async (t) => {
  const { app } = await createTestApp(t, { env: { LAB: 'off' } })
  for (const url of ['/lab-api/flaky?fail=0&key=a', ...ADDRESSES]) {
    t.equal((await app.inject({ url, headers })).statusCode, 404, url)
  }
  const sent = await app.inject({ method: 'POST', url: '/lab/sign-in', headers: FORM, payload: 'name=Ada' })
  t.equal(sent.statusCode, 404)
  t.notOk(sent.headers['set-cookie'])
  t.notMatch((await app.inject({ url: '/', headers })).body, /href="\/lab/)
})

t.test('/lab/flaky shows each attempt, up to three retries', async (t) => {
  const { app } = await createTestApp(t)
  const { statusCode, body } = await app.inject({ url: '/lab/flaky?fail=3', headers })
  t.equal(statusCode, 200)
  t.equal(body.match(/503 unavailable/g)?.length, 3)
  t.equal(body.match(/200 OK/g)?.length, 1)
})

t.test('/lab/form shows errors beside their fields and keeps the typed values', async (t) => {
  const { app } = await createTestApp(t)
  const post = (payload: string) =>
    app.inject({
      method: 'POST',
      url: '/lab/form',
      headers: FORM,
      payload
    })
  const refused = await post('name=Ada&email=ada%40&amount=1%22&comment=rope')
  t.equal(refused.statusCode, 422)
  t.match(refused.body, /<input[^>]*aria-invalid="true" aria-describedby="email-error"[^>]*value="ada@"/)
  t.match(refused.body, /value="1&quot;"/)
  t.match(refused.body, />rope<\/textarea>/)
  t.match(refused.body, /role="alert"/)
  const taken = await post('name=Ada&email=ada%40example.org&amount=12,5&comment=')
  t.equal(taken.statusCode, 303)
  t.equal(taken.headers.location, '/lab/form?sent=12.50')
})

t.test('/lab/sign-in redirects only within this application', async (t) => {
  const { app } = await createTestApp(t)
  const signIn = async (to: string) =>
    (
      await app.inject({
        method: 'POST',
        url: `/lab/sign-in?return=${encodeURIComponent(to)}`,
        headers: FORM,
        payload: 'name=Ada'
      })
    ).headers.location
  t.equal(await signIn('/lab/unauthorized?x=1'), '/lab/unauthorized?x=1')
  for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '']) {
    t.equal(await signIn(to), '/lab/sign-in', to)
  }
})

t.test('/lab/forbidden does not say that a visitor is signed in', async (t) => {
  const { app } = await createTestApp(t)
  const { statusCode, body } = await app.inject({ url: '/lab/forbidden', headers })
  t.equal(statusCode, 403)
  t.notMatch(body, /signed in/i)
})

t.test('/lab/client says without JavaScript why it is empty', async (t) => {
  const { app } = await createTestApp(t)
  t.match((await app.inject({ url: '/lab/client', headers })).body, /<noscript><p>[^<]*needs JavaScript/)
})

t.test('/lab/document has no script and no data', async (t) => {
  const { app } = await createTestApp(t)
  t.notMatch((await app.inject({ url: '/lab/document', headers })).body, /<script|modulepreload/)
})
