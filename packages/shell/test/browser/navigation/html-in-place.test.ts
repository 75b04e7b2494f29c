import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy, type Meddling } from '@hull/test-helpers/meddling-proxy.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { hang } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })

t.test(
  'a page without script is shown without a document, with its stylesheet, title, focus and scroll position',
  async (t) => {
    const proxy = await openMeddlingProxy(t, origin)
    const { page, open, pathsOf, requests } = await openTab(t, browser, { origin: proxy.origin })
    let release = () => {}
    proxy.meddle(/styled-document-.*\.css$/, (_response, forward) => (release = forward))
    await open('/')
    await hydrated(page)
    requests.length = 0
    const requested = page.waitForRequest(/styled-document-.*\.css$/)
    await follow(page, '/styled-document')
    await requested
    t.equal(await page.locator('h1').innerText(), 'Home', 'the page is not shown before its stylesheet is loaded')
    while (!proxy.seen.some((url) => /styled-document-.*\.css$/.test(url)))
      await new Promise((resolve) => setTimeout(resolve, 10))
    release()
    await untilArrived(page, '/styled-document', 'Styled document')
    t.equal(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).color), 'rgb(4, 5, 6)')
    t.equal(await page.title(), 'Styled document')
    t.same(pathsOf('document'), [])
    t.same(pathsOf('fetch'), ['/styled-document'], 'the path of the page itself is fetched')
    t.equal(requests.find((request) => request.resourceType() === 'fetch')?.headers()['accept'], 'text/html')

    await follow(page, '/styled-document#far')
    await until(page, () => scrollY > 1_000)
    await follow(page, '/')
    await untilArrived(page, '/', 'Home')
    await page.goBack()
    await untilArrived(page, '/styled-document#far', 'Styled document')
    await until(page, () => scrollY > 1_000)
  }
)

t.test('a path without a page keeps the state of the layout', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open, pathsOf, seen } = await openTab(t, browser, { origin })
  await open('/lab')
  await hydrated(page)
  await page.evaluate(() => {
    document.querySelector('header')!.id = 'kept'
  })
  await follow(page, '/nobody-knows-it?a#b')
  await untilArrived(page, '/nobody-knows-it?a#b', 'Not found')
  t.equal(await page.locator('header#kept').count(), 1)
  t.equal(await page.title(), 'Not found')
  t.equal(await page.evaluate(() => document.activeElement?.tagName), 'MAIN')
  t.same(pathsOf('document'), ['/lab'])
  seen(404)
})

t.test('loads a document for', async (t) => {
  const withHeaders =
    (headers: Record<string, string>): Meddling =>
    (_response, forward) =>
      forward({ headers })
  for (const [name, meddling] of [
    ['a page of another build', withHeaders({ 'x-build': 'another' })],
    ['a page without a build', withHeaders({ 'x-build': '' })],
    ['plain text', withHeaders({ 'content-type': 'text/plain' })],
    ['an incomplete response', (_response, forward) => forward({ breakAfter: 30 })]
  ] as Array<[string, Meddling]>) {
    t.test(name, async (t) => {
      const proxy = await openMeddlingProxy(t, origin)
      const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
      await open('/')
      await hydrated(page)
      proxy.meddle('/document', meddling, 1)
      await follow(page, '/document')
      await untilArrived(page, '/document', 'No script here')
      t.same(pathsOf('document'), ['/', '/document'])
      await take()
    })
  }

  for (const [name, meddling] of [
    ['a response that is late', hang],
    [
      'a response that stops after its start',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'x-build': build })
        response.write('<p>')
      }
    ]
  ] as Array<[string, Meddling]>) {
    t.test(name, async (t) => {
      const proxy = await openMeddlingProxy(t, origin)
      const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
      await page.clock.install()
      build = (await open('/'))!.headers()['x-build']!
      await hydrated(page)
      proxy.meddle('/document', meddling, 1)
      await follow(page, '/document')
      await page.locator('.shell-progress').waitFor()
      await page.clock.fastForward(meddling === hang ? 3_800 : 30_000)
      await untilArrived(page, '/document', 'No script here')
      t.same(pathsOf('document'), ['/', '/document'])
      await take()
    })
  }

  t.test('a redirect to a streaming page', async (t) => {
    const proxy = await openMeddlingProxy(t, origin)
    const { page, open, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
    await open('/')
    await hydrated(page)
    proxy.meddle('/old', (response) => response.writeHead(302, { location: '/stream?hold=50' }).end())
    await follow(page, '/old')
    await page.locator('#late').waitFor()
    t.same(pathsOf('document'), ['/', '/old', '/stream?hold=50'])
  })

  t.test('a redirect to another origin', async (t) => {
    const elsewhere = await openMeddlingProxy(t, origin)
    const proxy = await openMeddlingProxy(t, origin)
    const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
    await open('/')
    await hydrated(page)
    proxy.meddle('/away', (response) => response.writeHead(302, { location: `${elsewhere.origin}/items/7` }).end())
    await follow(page, '/away')
    await page.waitForURL(`${elsewhere.origin}/items/7`)
    t.same(pathsOf('document').slice(0, 2), ['/', '/away'])
    await take()
  })
})

let build = ''

t.test('the page works after a download', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  const { page, open, take, pathsOf } = await openTab(t, browser, { origin: proxy.origin })
  await page.clock.install()
  await open('/')
  await hydrated(page)
  proxy.meddle('/report', (response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment; filename=report.html' })
      .end('<p>')
  )
  const [download] = await Promise.all([page.waitForEvent('download'), follow(page, '/report')])
  t.equal(download.suggestedFilename(), 'report.html')
  t.equal(await page.locator('h1').innerText(), 'Home')
  await page.clock.fastForward(4_000)
  await page.locator('.shell-progress').waitFor({ state: 'hidden' })
  await follow(page, '/items/7')
  await untilArrived(page, '/items/7', 'Item')
  t.same(
    pathsOf('document').filter((path) => path !== '/report'),
    ['/']
  )
  await take()
})
