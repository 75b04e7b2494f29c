import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { copyWithExamples } from '@hull/test-helpers/doc-examples.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

/* Tests the recipes of docs/http.md in a browser. */

const EMPTY_PAGE = answer(200, { 'content-type': 'text/html' }, '<title>Page</title><link rel="icon" href="data:,">')

/** Starts a server for a page of another site. @returns its origin, whose host differs from the application's */
async function openSite() {
  const server = await openUnrulyServer(t)
  server.will(EMPTY_PAGE)
  return server.origin.replace('127.0.0.1', 'localhost')
}

const browser = await launchBrowser(t)
const [partner, otherSite] = [await openSite(), await openSite()]
const root = copyWithExamples(t, 'docs/http.md', { openapi: { ui: true }, websocket: {} })
const file = join(root, 'routes/api/partners/index.ts')
writeFileSync(file, readFileSync(file, 'utf8').replace('https://partner.example', partner))
const { origin } = await startServer(t, { INBOX: 'off' }, join(root, 'server.ts'))

/** Sends a request; runs in a page. @returns the status code, if the page may read the response */
const send = async ([url, method, type]: readonly string[]) => {
  const init = method === 'POST' ? { method, headers: { 'content-type': type! }, body: '{}' } : {}
  return fetch(url!, init).then(
    ({ status }) => status,
    () => 'not readable'
  )
}

t.test('only a page of an allowed origin can read responses and send JSON', async (t) => {
  const url = (path: string) => `${origin}/api/partners${path}`
  const { page } = await openTab(t, browser, { origin: partner })
  await page.goto('/')
  t.equal(await page.evaluate(send, [url('/prices'), 'GET']), 200)
  t.equal(await page.evaluate(send, [url('/orders'), 'POST', 'application/json']), 201)

  const other = await openTab(t, browser, { origin: otherSite })
  await other.page.goto('/')
  t.equal(await other.page.evaluate(send, [url('/prices'), 'GET']), 'not readable')
  t.equal(await other.page.evaluate(send, [url('/orders'), 'POST', 'application/json']), 'not readable')
  t.match((await other.take()).join('\n'), 'blocked by CORS policy')
})

t.test('a form of another site cannot post to a route', async (t) => {
  const { page, seen } = await openTab(t, browser, { origin: otherSite })
  await page.goto('/')
  const [response] = await Promise.all([
    page.waitForResponse(`${origin}/api/orders`),
    page.evaluate((url) => {
      const form = document.body.appendChild(document.createElement('form'))
      Object.assign(form, { method: 'post', action: url, enctype: 'text/plain' })
      form.submit()
    }, `${origin}/api/orders`)
  ])
  t.equal(response.status(), 403)
  t.match(await response.text(), 'APP_CROSS_SITE_REQUEST')
  seen(403)
})

t.test('a page of the application receives events and uses a WebSocket', async (t) => {
  const { page, open, takeFirst } = await openTab(t, browser, { origin })
  await open('/')
  const news = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const source = new EventSource('/news')
        source.addEventListener('news', ({ data }) => {
          source.close()
          resolve(data)
        })
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Spring"}' }
        source.addEventListener('hello', () => fetch('/news', init))
      })
  )
  t.equal(news, '{"title":"Spring"}')
  t.same(
    await takeFirst(),
    ['request failed: /news net::ERR_ABORTED'],
    'only the stream that the page closed is aborted'
  )
  const echo = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(location.origin.replace('http', 'ws') + '/echo')
        socket.addEventListener('open', () => socket.send('ahoy'))
        socket.addEventListener('message', ({ data }) => {
          socket.close()
          resolve(data)
        })
      })
  )
  t.equal(echo, 'You said: ahoy')
})

t.test('Swagger UI shows routes and sends requests within its content security policy', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/api/docs')
  await page.getByText('/api/orders').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.locator('textarea').fill('{ "article": "rope", "pieces": 2 }')
  await page.getByRole('button', { name: 'Execute' }).click()
  t.match(JSON.parse(await page.locator('.live-responses-table .highlight-code code').first().innerText()), {
    id: 1,
    article: 'rope'
  })
})
