import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTestApp } from '@hull/test-helpers/app.ts'
import { postForm } from '@hull/test-helpers/post-form.ts'
import { buildSite, entryOf } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../fixtures/forms'))
const { app, logs } = await createTestApp(t, { site })

const post = (url: string, payload: string, headers: Record<string, string> = { 'x-fetcher': '1' }) =>
  postForm(app, url, payload, { accept: 'application/json', ...headers })

t.test('a fetcher receives the result of the action, without the data of the page', async (t) => {
  const { statusCode, headers, body } = await post('/cart', 'item=rope&count=3')
  t.equal(statusCode, 200)
  t.equal(headers['x-payload-codec'], 'devalue')
  t.match(body, '1970-01-01T00:00:00.000Z')
  t.notMatch(body, 'reads')
  const refused = await post('/cart', 'item=rope&count=x')
  t.equal(refused.statusCode, 422)
  t.match(refused.json(), { page: null, data: null, form: { values: { count: 'x' } } })
})

t.test('any other form redirects to the page', async (t) => {
  const html = await post('/cart', 'item=rope&count=4', { accept: 'text/html', 'x-fetcher': '1' })
  t.match([html.statusCode, html.headers.location], [303, '/cart'])
  t.same((await post('/cart', 'item=rope&count=4', {})).json().redirect, '/cart')
})

t.test('an invalid value of `refresh` is 500, and the log names the page', async (t) => {
  t.equal((await post('/cart?end=invalid', 'item=rope&count=4')).statusCode, 500)
  const message = `client/pages/cart.tsx: done(…) in action takes 'page', 'none' or a list of paths as "refresh"`
  t.match(logs.takeErrors(), [{ err: { code: 'APP_PAGE_INVALID', message } }])
})

t.test('a page without a fetcher does not load the code for fetchers', async (t) => {
  const files = globSync('client/**/*.js', { cwd: site.dist })
  const withFetcher = files.filter((file) => readFileSync(join(site.dist, file), 'utf8').includes('FetcherError'))
  t.equal(withFetcher.length, 1)
  t.match(withFetcher[0], /cart/)
  t.notMatch(entryOf(site), withFetcher[0])
})
