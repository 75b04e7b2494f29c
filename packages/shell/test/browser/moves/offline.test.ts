import t, { type Test } from 'tap'
import { OFFLINE_LINE } from '../../../../../client/fallbacks/error-text.ts'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { assertDocumentKept, followLink, openInteractive, untilHeading, startMoves } from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)
const ERROR = /^Application error: a client-side or server-side exception has occurred/

t.test('without a connection', async (t) => {
  const { origin } = await startMoves(t)

  /** Opens a tab without a connection that shows the error of a click on Item 1. */
  async function openOffline(t: Test) {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const { page } = tab
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Item 1', exact: true }).click()
    await page.getByRole('heading', { name: ERROR }).waitFor()
    return { tab, page }
  }

  t.test('a click shows the error in the layout, and the page is loaded when the connection is back', async (t) => {
    const { tab, page } = await openOffline(t)
    t.equal(page.url(), `${origin}/item/1`)
    t.equal(await page.title(), 'Application error')
    t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 1, 'the layout is still shown')
    t.match(await page.locator('#root').innerText(), OFFLINE_LINE)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: ERROR }).waitFor()
    t.match((await tab.take()).join('\n'), 'ERR_INTERNET_DISCONNECTED')

    await page.context().setOffline(false)
    await untilHeading(tab, 'Item 1')
    t.equal(page.url(), `${origin}/item/1`)
    t.equal(await page.title(), 'Item 1')
    t.equal(await page.locator('meta[name=robots]').count(), 0)
    assertDocumentKept(t, tab, '/item/1')
    await page.goBack()
    await untilHeading(tab, 'Short')
    await tab.take()
  })

  t.test('the page is loaded although the first requests after the outage fail', async (t) => {
    const { tab, page } = await openOffline(t)
    const failed: string[] = []
    await page.route('**', (route) => {
      failed.push(route.request().url())
      return failed.length > 2 ? route.continue() : route.abort('namenotresolved')
    })
    await page.context().setOffline(false)
    await untilHeading(tab, 'Item 1')
    t.ok(failed.length > 2, failed.join(' '))
    assertDocumentKept(t, tab, '/item/1')
    await tab.take()
  })

  t.test('back and forward show kept pages, and links work again after the outage', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const { page } = tab
    await followLink(tab, 'Item 1', 'Item 1')
    await followLink(tab, 'Item 2', 'Item 2')
    await page.context().setOffline(true)
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await page.goBack()
    await untilHeading(tab, 'Short')
    await page.goForward()
    await untilHeading(tab, 'Item 1')
    t.same(await tab.take(), [])
    await page.context().setOffline(false)
    await followLink(tab, 'Item 3', 'Item 3')
    t.same(tab.pathsOf('document'), [])
  })

  t.test('going back from the error shows the previous page, which stays when the connection is back', async (t) => {
    const { tab, page } = await openOffline(t)
    await page.goBack()
    await untilHeading(tab, 'Short')
    await tab.take()
    await page.context().setOffline(false)
    await page.goForward()
    await untilHeading(tab, 'Item 1')
    await until(page, () => document.title === 'Item 1')
    assertDocumentKept(t, tab, '/item/1')
    await tab.take()
  })
})
