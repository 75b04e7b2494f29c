import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy, type Meddling } from '@hull/test-helpers/meddling-proxy.ts'
import { arrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { answer, hang, hangInBody, reset } from '@hull/test-helpers/unruly-server.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site })
const proxy = await openMeddlingProxy(t, origin)

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const plain = { ...JSON_TYPE, 'x-payload-codec': 'json' }
const rich = { ...JSON_TYPE, 'x-payload-codec': 'devalue' }
const stream = { ...JSON_TYPE, 'x-payload-codec': 'stream' }
const problem = { 'content-type': 'application/problem+json' }

/** Responses at the page-data address that are not page data. */
const ANSWERS: Record<string, Meddling> = {
  'HTML with 200': answer(200, { 'content-type': 'text/html' }, '<h1>Sign in to the hotel’s network</h1>'),
  'text of no type': answer(200, {}, 'hello'),
  'JSON that is none': answer(200, JSON_TYPE, '{"a":'),
  'JSON of something else': answer(200, JSON_TYPE, '["a"]'),
  'JSON null': answer(200, JSON_TYPE, 'null'),
  'a payload that is no JSON': answer(200, plain, '{"build":'),
  'a payload of another kind': answer(200, plain, '7'),
  'a payload that is empty': answer(200, plain),
  'a payload of missing fields': answer(200, plain, '{"build":"x","page":null}'),
  'a payload with a page that nobody knows': (response) =>
    answer(200, plain, payload({ page: '/pages/nobody.tsx' }))(response),
  'a payload with a layout that is none': (response) =>
    answer(200, plain, payload({ layouts: ['__proto__'], layoutData: [null] }))(response),
  'a payload without its layouts’ data': (response) =>
    answer(200, plain, payload({ layouts: ['default'], layoutData: [] }))(response),
  'a payload in a codec that nobody knows': answer(200, { ...JSON_TYPE, 'x-payload-codec': 'morse' }, '[]'),
  'a rich payload that is none': answer(200, rich, '[[["Unknown",1]]]\n[1,true,"2"]'),
  'a rich payload that is empty': answer(200, rich),
  'a stream of something else': answer(200, stream, '[[["Unknown",1]]]\n[1,true,"2"]'),
  'a stream that is empty': answer(200, stream),
  'nothing at all': answer(204),
  'a bad gateway': answer(502, { 'content-type': 'text/html' }, '<h1>502 Bad Gateway</h1>'),
  'a problem of another server': answer(503, problem, '{"title":"Busy"}'),
  'a problem that is no JSON': answer(500, problem, '<'),
  'a problem with a payload that is none': answer(500, problem, '{"payload":"{","codec":"json"}'),
  'a connection that is cut before the headers': reset,
  'a body that is cut': (_response, forward) => forward({ breakAfter: 20 }),
  'a body that ends too early': (_response, forward) => forward({ endAfter: 20 })
}

let build = ''
const payload = (change: object) =>
  JSON.stringify({
    build,
    page: '/pages/items/[id].tsx',
    pathname: '/items/7',
    params: { id: '7' },
    data: { id: '7' },
    layouts: [],
    layoutData: [],
    meta: {},
    ...change
  })

t.test('in place of page data', async (t) => {
  const { page, open, take, requests } = await openTab(t, browser, { origin: proxy.origin })
  for (const [name, meddling] of Object.entries(ANSWERS)) {
    t.test(`${name}: the document is loaded, once`, async (t) => {
      proxy.leaveAlone()
      await open('/')
      await hydrated(page)
      build ||= await page.evaluate(
        () => (JSON.parse(document.getElementById('hull-payload')!.textContent) as { build: string }).build
      )
      proxy.meddle('/-/data/items/7', meddling)
      requests.length = 0
      await follow(page, '/items/7')
      await arrived(page, '/items/7', 'Item "7"')
      await hydrated(page)
      const asked = requests
        .map((request) => new URL(request.url()).pathname)
        .filter((path) => path.includes('items/7'))
      t.same(asked, ['/-/data/items/7', '/items/7'])
      await take()
    })
  }
})

t.test('page data that does not come', async (t) => {
  for (const [name, meddling] of [
    ['its headers are missing', hang],
    ['its body is', hangInBody]
  ] as Array<[string, Meddling]>) {
    t.test(`as ${name}: the document is loaded, once`, async (t) => {
      const { page, open, take, requests } = await openTab(t, browser, { origin: proxy.origin })
      await page.clock.install()
      await open('/')
      await hydrated(page)
      proxy.meddle(
        '/-/data/items/7',
        (response, forward) => {
          if (name === 'its body is')
            response.setHeader('content-type', plain['content-type']).setHeader('x-payload-codec', 'json')
          meddling(response, forward)
        },
        1
      )
      requests.length = 0
      const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
      await follow(page, '/items/7')
      // The chunk has a shorter timeout, but is already loaded.
      await chunk
      await page.locator('.shell-progress').waitFor()
      await page.clock.fastForward(27_000)
      t.equal(await page.locator('h1').innerText(), 'Home', 'it is given time')
      await page.clock.fastForward(3_100)
      await arrived(page, '/items/7', 'Item "7"')
      const asked = requests
        .map((request) => new URL(request.url()).pathname)
        .filter((path) => path.includes('items/7'))
      t.same(asked, ['/-/data/items/7', '/items/7'])
      await take()
    })
  }
})
