import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy, type Meddling } from '@hull/test-helpers/meddling-proxy.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
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

/** Responses for page data that are not page data. */
const ANSWERS: Record<string, Meddling> = {
  'HTML with 200': answer(200, { 'content-type': 'text/html' }, '<h1>Sign in to the hotel’s network</h1>'),
  'text without a type': answer(200, {}, 'hello'),
  'invalid JSON': answer(200, JSON_TYPE, '{"a":'),
  'other JSON': answer(200, JSON_TYPE, '["a"]'),
  'JSON null': answer(200, JSON_TYPE, 'null'),
  'a payload of invalid JSON': answer(200, plain, '{"build":'),
  'a payload that is a number': answer(200, plain, '7'),
  'an empty payload': answer(200, plain),
  'a payload without its fields': answer(200, plain, '{"build":"x","page":null}'),
  'a payload with an unknown page': (response) => answer(200, plain, payload({ page: '/pages/nobody.tsx' }))(response),
  'a payload with an unknown layout': (response) =>
    answer(200, plain, payload({ layouts: ['__proto__'], layoutData: [null] }))(response),
  'a payload without its layouts’ data': (response) =>
    answer(200, plain, payload({ layouts: ['default'], layoutData: [] }))(response),
  'a payload with an unknown codec': answer(200, { ...JSON_TYPE, 'x-payload-codec': 'morse' }, '[]'),
  'an invalid rich payload': answer(200, rich, '[[["Unknown",1]]]\n[1,true,"2"]'),
  'an empty rich payload': answer(200, rich),
  'an invalid stream': answer(200, stream, '[[["Unknown",1]]]\n[1,true,"2"]'),
  'an empty stream': answer(200, stream),
  'no body': answer(204),
  'a bad gateway': answer(502, { 'content-type': 'text/html' }, '<h1>502 Bad Gateway</h1>'),
  'a problem of another server': answer(503, problem, '{"title":"Busy"}'),
  'a problem of invalid JSON': answer(500, problem, '<'),
  'a problem with an invalid payload': answer(500, problem, '{"payload":"{","codec":"json"}'),
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

t.test('instead of page data', async (t) => {
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
      await untilArrived(page, '/items/7', 'Item "7"')
      await hydrated(page)
      const paths = requests
        .map((request) => new URL(request.url()).pathname)
        .filter((path) => path.includes('items/7'))
      t.same(paths, ['/-/data/items/7', '/items/7'])
      await take()
    })
  }
})

t.test('page data that is not received', async (t) => {
  for (const [name, meddling] of [
    ['no headers are received', hang],
    ['its body is incomplete', hangInBody]
  ] as Array<[string, Meddling]>) {
    t.test(`because ${name}: the document is loaded, once`, async (t) => {
      const { page, open, take, requests } = await openTab(t, browser, { origin: proxy.origin })
      await page.clock.install()
      await open('/')
      await hydrated(page)
      proxy.meddle(
        '/-/data/items/7',
        (response, forward) => {
          if (name === 'its body is incomplete')
            response.setHeader('content-type', plain['content-type']).setHeader('x-payload-codec', 'json')
          meddling(response, forward)
        },
        1
      )
      requests.length = 0
      const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
      await follow(page, '/items/7')
      // The timeout of the chunk is shorter, but the chunk is loaded already.
      await chunk
      await page.locator('.shell-progress').waitFor()
      await page.clock.fastForward(27_000)
      t.equal(await page.locator('h1').innerText(), 'Home', 'the navigation still waits')
      await page.clock.fastForward(3_100)
      await untilArrived(page, '/items/7', 'Item "7"')
      const paths = requests
        .map((request) => new URL(request.url()).pathname)
        .filter((path) => path.includes('items/7'))
      t.same(paths, ['/-/data/items/7', '/items/7'])
      await take()
    })
  }
})
