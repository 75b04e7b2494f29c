import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/late'))
const { app, logs } = await createTestApp(t, { site, env: { RENDER_TIMEOUT: '1s' } })

const counts = globalThis as { loadedPages?: number }

t.test('the server loads a page with its first request, once for concurrent requests', async (t) => {
  t.equal(counts.loadedPages, undefined)
  t.equal((await app.inject('/')).statusCode, 200)
  t.equal(counts.loadedPages, undefined, 'a request of another page')
  const answers = await Promise.all(['/counted', '/counted', '/-/data/counted'].map((url) => app.inject(url)))
  t.same(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200]
  )
  t.match(answers[0]!.body, /loaded (<!-- -->)?1</)
  t.equal(counts.loadedPages, 1)
})

t.test('a page that throws while it is loaded is 500 APP_PAGE_UNLOADABLE, and others are served', async (t) => {
  const MISTAKES = [
    ['/broken', 'client/pages/broken.tsx cannot be loaded: no secret-key-3f in the environment'],
    [
      '/cached',
      'client/pages/cached.tsx cannot be loaded: /cached: cache.maxAge is a number of seconds, 0 or more; got -1'
    ],
    [
      '/misspelt',
      'client/pages/misspelt.tsx cannot be loaded: /misspelt: cache has no "maxage"; did you mean "maxAge"?'
    ]
  ] as const
  for (const [url, says] of MISTAKES)
    for (const prefix of ['', '/-/data', '']) {
      const { statusCode, body } = await app.inject(prefix + url)
      t.equal(statusCode, 500)
      const [line, ...others] = logs.takeErrors()
      t.match(line, { err: { code: 'APP_PAGE_UNLOADABLE' } })
      const { message } = line!.err as Error
      t.equal(message, says)
      t.match(body, String(line?.digest))
      t.notMatch(body, 'secret-key-3f')
      t.same(others, [])
    }
  t.equal((await app.inject('/')).statusCode, 200)
})

t.test('a page whose loading never ends is 500 APP_RENDER_TIMEOUT', async (t) => {
  t.equal((await app.inject('/pending')).statusCode, 500)
  t.match(logs.takeErrors(), [{ err: { code: 'APP_RENDER_TIMEOUT' } }])
})

t.test('/readyz responds with 503 as long as a page cannot be loaded', async (t) => {
  const { statusCode, body } = await app.inject('/readyz')
  t.equal(statusCode, 503)
  t.match(JSON.parse(body), { checks: { pages: 'failed' } })
  t.notMatch(body, 'secret-key-3f')
  t.match(logs.lines.find(({ msg }) => msg === 'health check failed')?.err, { code: 'APP_PAGE_UNLOADABLE' })
})

t.test('methods and form data work before a page is loaded', async (t) => {
  const { statusCode, headers } = await app.inject({ method: 'PUT', url: '/form' })
  t.equal(statusCode, 405)
  t.equal(headers.allow, 'GET, HEAD, POST')
  const { app: other } = await createTestApp(t, { site, env: { BODY_LIMIT: '1KiB' } })
  t.equal((await postForm(other, '/form', {})).statusCode, 303)
  const body = new FormData()
  body.append('file', new File(['x'.repeat(5_000)], 'a.txt'))
  t.equal((await other.inject({ method: 'POST', url: '/upload', body })).headers.location, '/upload?size=5000')
})

t.test('the route hooks of a page run with its first request', async (t) => {
  for (const url of ['/hooked', '/hooked-together']) t.equal((await app.inject(url)).headers['x-hooked'], 'yes', url)
})
