import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { untilArrived, follow, readPage, untilEqual, readSettledPage } from '@hull/test-helpers/navigation.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

/** Path, final path, and the first text of the page there. */
const PAGES: Array<[path: string, end: string, text: string]> = [
  ['/items/7', '/items/7', 'Item "7"'],
  ['/items/a%2Fb?c=d', '/items/a%2Fb?c=d', 'Item "a/b"'],
  ['/about', '/about', 'About'],
  ['/plain', '/plain', 'a < b'],
  ['/buffered', '/buffered', 'x'],
  ['/client', '/client', 'the server, in a window'],
  ['/document', '/document', 'No script here'],
  ['/stream', '/stream', 'Shell'],
  ['/outcome/guard/redirect', '/about?from=outcome', 'About'],
  ['/outcome/data/redirect#part', '/about?from=outcome#part', 'About'],
  ['/outcome/data/permanent', '/about', 'About'],
  ['/outcome/component/redirect', '/about?from=outcome', 'About'],
  ['/outcome/suspense/redirect', '/about?from=outcome', 'About'],
  ['/stream?late=redirect', '/about', 'About'],
  ['/loop?cookie', '/loop?cookie', 'Out of the loop']
]

for (const where of ['guard', 'data', 'component', 'suspense'])
  for (const [what, text] of [
    ['unauthorized', '401'],
    ['forbidden', '403'],
    ['missing', '404']
  ] as const)
    PAGES.push([`/outcome/${where}/${what}`, `/outcome/${where}/${what}`, text])
PAGES.push(
  ['/guarded', '/guarded', '401'],
  ['/nothing?a=b', '/nothing?a=b', '404'],
  ['/stream?early', '/stream?early', '404'],
  ['/stream?late=missing', '/stream?late=missing', '404'],
  ['/stream?late=unauthorized', '/stream?late=unauthorized', '401']
)

/** Paths of pages that fail on the server, both as a document and as page data. */
const FAILURES = [
  '/fail/data',
  '/fail/guard',
  '/fail/meta',
  '/fail/frame-data',
  '/fail/serializer',
  '/hang?in=data',
  '/outcome/guard/sneaky',
  '/outcome/data/script',
  '/outcome/data/double-slash'
]

const site = await buildFixtureSite()
const browser = await launchBrowser(t)
const { origin, logs } = await createListeningApp(t, {
  site,
  env: { SIGN_IN_PATH: '/sign-in', RENDER_TIMEOUT: '1s' }
})

t.test('a document and a navigation show the same page:', async (t) => {
  const byDocument = await openTab(t, browser, { origin })
  const byNavigation = await openTab(t, browser, { origin })
  await byNavigation.open('/')
  await hydrated(byNavigation.page)
  for (const [path, end, text] of PAGES) {
    t.test(path, async (t) => {
      await byDocument.page.context().clearCookies()
      await byDocument.page.goto(path)
      const look = await readSettledPage(byDocument.page)
      t.equal(look.address, end)
      t.match(look.text, text)
      await byNavigation.page.context().clearCookies()
      await follow(byNavigation.page, path)
      await untilEqual(byNavigation.page, look)
      t.same(await readPage(byNavigation.page), look)
      await follow(byNavigation.page, '/')
      await untilArrived(byNavigation.page, '/', 'Home')
    })
  }
  await t.test('without another document', async (t) => {
    t.same(byNavigation.pathsOf('document'), ['/'])
    for (const status of [401, 403, 404]) {
      byDocument.seen(status)
      byNavigation.seen(status)
    }
    // Chromium reports this for every stream that is read in chunks, even for a complete one.
    const rest = (await byNavigation.take()).filter(
      (line) => !/\/-\/data\/(stream|buffered)\S* net::ERR_ABORTED$/.test(line)
    )
    t.same(rest, [])
  })
})

t.test('a document and a navigation show the same failure, with the digest of its log line:', async (t) => {
  const byDocument = await openTab(t, browser, { origin })
  const byNavigation = await openTab(t, browser, { origin })
  await byNavigation.open('/')
  await hydrated(byNavigation.page)
  for (const path of FAILURES) {
    t.test(path, async (t) => {
      await byDocument.open(path, 500)
      const look = await readSettledPage(byDocument.page)
      t.match(look, {
        address: path,
        title: 'Application error',
        robots: ['noindex'],
        text: 'The error happened on the server'
      })
      t.equal(await byDocument.page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)

      await follow(byNavigation.page, path)
      await untilArrived(byNavigation.page, path, 'Application error')
      t.same(
        await readPage(byNavigation.page),
        { ...look, links: ['/'] },
        'after a navigation, "Try again" is a button'
      )
      t.equal(await byNavigation.page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
    })
  }
  await t.test('without another document', async (t) => {
    t.same(byNavigation.pathsOf('document'), ['/'])
    byNavigation.seen(500)
  })
})
