import t from 'tap'
import { UNREACHABLE_LINE } from '../../../../../client/fallbacks/error-text.ts'
import { launchBrowser, until, type Tab } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy, type Meddling } from '@hull/test-helpers/meddling-proxy.ts'
import { assertDocumentKept, openInteractive, pause, untilHeading, startMoves } from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { answer, hang, reset } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const { origin } = await startMoves(t)
const ERROR = /^Application error: a client-side or server-side exception has occurred/
const html = { 'content-type': 'text/html' }

/** Waits for the error page in its layout, at the requested path. */
async function untilUnreachable({ page, pathsOf }: Tab, path: string) {
  // The error page at another path looks the same.
  await until(page, (to) => location.pathname === to, path)
  await page.getByText(UNREACHABLE_LINE).waitFor()
  await page.getByRole('heading', { name: ERROR }).waitFor()
  t.equal(new URL(page.url()).pathname, path)
  t.equal(await page.title(), 'Application error')
  t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 1, 'the layout is still shown')
  t.equal(await page.locator('.digest').count(), 0, 'no digest, because the server has not logged the error')
  t.same(pathsOf('document'), [])
}

t.test('shows the error page if', async (t) => {
  for (const [name, meddling] of [
    ['the connection is cut', reset],
    ['a proxy answers 502', answer(502, html, '<h1>Bad Gateway</h1>')],
    ['a proxy answers 503', answer(503, html, '<h1>Maintenance</h1>')],
    ['a proxy answers 504', answer(504, html, '<h1>Gateway Timeout</h1>')]
  ] as Array<[string, Meddling]>)
    t.test(name, async (t) => {
      const proxy = await openMeddlingProxy(t, origin)
      const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/short' })
      const { page } = tab
      proxy.meddle(/./, meddling)
      await page.getByRole('link', { name: 'Item 1', exact: true }).click()
      await untilUnreachable(tab, '/item/1')
      await page.goBack()
      await untilHeading(tab, 'Short')
      t.equal(new URL(page.url()).pathname, '/short')
      await page.goForward()
      await untilUnreachable(tab, '/item/1')
      await page.getByRole('button', { name: 'Try again' }).click()
      await untilUnreachable(tab, '/item/1')
      // A path without a page in this build is fetched as HTML.
      await follow(page, '/nobody-knows-it')
      await untilUnreachable(tab, '/nobody-knows-it')
      // Waits for the check of the server: before it, "Try again" would apply to the page that is still shown.
      const checked = page.waitForRequest((request) => request.url().endsWith('/healthz'))
      await page.goBack()
      await checked
      await pause()
      await untilUnreachable(tab, '/item/1')

      proxy.leaveAlone()
      await page.getByRole('button', { name: 'Try again' }).click()
      await untilHeading(tab, 'Item 1')
      t.equal(await page.title(), 'Item 1')
      t.equal(new URL(page.url()).pathname, '/item/1')
      assertDocumentKept(t, tab, '/item/1')
      await page.goBack()
      await untilHeading(tab, 'Short')
      await tab.take()
    })
})

t.test('a script whose server does not respond', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/short' })
  proxy.meddle(/^\/(?:assets|healthz)/, reset)
  await follow(tab.page, '/item/1')
  await untilUnreachable(tab, '/item/1')
  await tab.take()
})

t.test('a server that accepts connections and does not respond', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/short' })
  await tab.page.clock.install()
  proxy.meddle(/./, hang)
  await follow(tab.page, '/item/1')
  await tab.page.locator('.shell-progress').waitFor()
  const checked = tab.page.waitForRequest('**/healthz')
  await tab.page.clock.fastForward(3_800)
  await checked
  await tab.page.clock.fastForward(3_800)
  await untilUnreachable(tab, '/item/1')
  await tab.take()
})

t.test('a server that refuses requests for now gets no other request, and the page shows its sentence', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/short' })
  const { page } = tab
  const detail = 'The server is busy; try again in a moment'
  const problem = { 'content-type': 'application/problem+json', 'retry-after': '5' }
  proxy.meddle(/^\/-\/data/, answer(503, problem, JSON.stringify({ status: 503, detail })))
  await follow(page, '/item/1')
  await page.getByRole('heading', { name: ERROR }).waitFor()
  await page.getByText(detail).waitFor()
  t.equal(new URL(page.url()).pathname, '/item/1')
  t.same(tab.pathsOf('document'), [])
  t.notOk(proxy.seen.includes('/healthz'))
  tab.seen(503)

  proxy.leaveAlone()
  await page.getByRole('button', { name: 'Try again' }).click()
  await untilHeading(tab, 'Item 1')
  t.same(tab.pathsOf('document'), [])
})

t.test('loads a document if only the page data fails', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  // A proxy that requires a sign-in redirects every fetch to another origin.
  const elsewhere: Meddling = (response) => response.writeHead(302, { location: 'http://sign-in.invalid/' }).end()
  proxy.meddle(/^\/(?:-\/data|healthz)/, elsewhere)
  const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/short' })
  await follow(tab.page, '/item/1')
  await untilHeading(tab, 'Item 1')
  await until(tab.page, () => document.title === 'Item 1')
  t.same(tab.pathsOf('document'), ['/item/1'])
  await tab.take()
})

t.test('a GET form that fails keeps its page and its values', async (t) => {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/tools' })
  const { page } = tab
  const heading = await page.locator('h1').innerText()
  await page.evaluate(() => {
    document
      .querySelector('main')!
      .insertAdjacentHTML('beforeend', '<form action="/short"><input name="q"><button>Find</button></form>')
  })
  proxy.meddle(/./, reset)
  await page.locator('input[name=q]').last().fill('a long question')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await until(page, () => document.querySelector<HTMLElement>('.shell-notice')?.hidden === false)
  t.match(await page.locator('.shell-notice').innerText(), /could not be sent. Nothing you typed is lost/)
  t.equal(await page.locator('input[name=q]').last().inputValue(), 'a long question')
  t.equal(await page.locator('h1').innerText(), heading)
  proxy.leaveAlone()
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await page.waitForURL('**/short?q=a+long+question')
  await untilHeading(tab, 'Short')
  assertDocumentKept(t, tab, '/short?q=a+long+question')
  await tab.take()
})
