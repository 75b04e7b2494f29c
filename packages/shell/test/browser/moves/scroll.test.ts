import t from 'tap'
import type { Page } from 'playwright'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { followLink, openInteractive, pause, untilHeading, startMoves, takeAborted } from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)
const viewport = { width: 800, height: 600 }

/** Scrolls with the mouse wheel, and waits for the scroll event. */
async function scrollDown(page: Page, y: number) {
  await page.mouse.wheel(0, y)
  await until(page, (to) => scrollY === to, y)
  await pause(100)
}
const untilAt = (page: Page, y: number) => until(page, (at) => Math.abs(scrollY - at) <= 1, y)

t.test('going back', async (t) => {
  const { origin } = await startMoves(t)

  t.test('and forward shows the page as it was, at its scroll position, without a request', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    const served = await page.locator('#served').innerText()
    await scrollDown(page, 700)
    // A click with the pointer would scroll to the link.
    await page.evaluate(() => (document.querySelector('a[href="/item/2"]') as HTMLElement).click())
    await untilHeading(tab, 'Item 2')
    t.equal(await page.evaluate(() => scrollY), 0, 'a new page starts at its top')
    await scrollDown(page, 300)
    tab.requests.length = 0
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await untilAt(page, 700)
    t.equal(await page.locator('#served').innerText(), served)
    await page.goForward()
    await untilHeading(tab, 'Item 2')
    await untilAt(page, 300)
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test('and following a link scrolls a <main> that scrolls in place of the window', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    const scrolled = () => page.evaluate(() => document.querySelector('main')!.scrollTop)
    await page.evaluate(() => {
      const main = document.querySelector('main')!
      Object.assign(main.style, { height: '300px', overflow: 'auto', scrollBehavior: 'smooth' })
      main.scrollTo({ top: 200, behavior: 'instant' })
    })
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/item/2"]')!.click())
    await untilHeading(tab, 'Item 2')
    t.equal(await scrolled(), 0)
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    t.equal(await scrolled(), 200)
  })

  t.test('to an entry that other code has changed restores the position, and requests the page data', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    await scrollDown(page, 700)
    await page.evaluate(() => {
      history.replaceState(null, '', '?filter=1')
      document.querySelector<HTMLElement>('a[href="/item/2"]')!.click()
    })
    await untilHeading(tab, 'Item 2')
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await untilAt(page, 700)
    t.equal(page.url(), `${origin}/item/1?filter=1`)
    t.ok(tab.pathsOf('fetch').includes('/-/data/item/1?filter=1'))
    t.same(tab.pathsOf('document'), [])
  })

  t.test('and following a link jumps to the position, also if the application scrolls smoothly', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    await scrollDown(page, 700)
    await page.evaluate(() => {
      const { style, dataset } = document.documentElement
      style.scrollBehavior = 'smooth'
      const noteStart = () => (dataset.starts = `${dataset.starts ?? ''} ${scrollY}`)
      new MutationObserver(noteStart).observe(document.querySelector('title')!, { childList: true })
      document.querySelector<HTMLElement>('a[href="/item/2"]')!.click()
    })
    await untilHeading(tab, 'Item 2')
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await page.evaluate(() => {
      const link = document.body.appendChild(document.createElement('a'))
      link.href = '/hashes#one'
      link.click()
    })
    await untilHeading(tab, 'Hashes')
    await pause(1_000)
    const end = await page.evaluate(() => Math.round(scrollY))
    t.equal(await page.evaluate(() => document.documentElement.dataset.starts), ` 0 700 ${end}`)
  })

  t.test('to a page that grows scrolls when the page is long enough', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/long', viewport })
    await until(tab.page, () => document.querySelector('#tall')!.getAttribute('height') === '5000')
    await scrollDown(tab.page, 3_000)
    await tab.page.evaluate(() => (document.querySelector('nav a[href="/short"]') as HTMLElement).click())
    await untilHeading(tab, 'Short')
    await tab.page.goBack()
    await untilHeading(tab, 'Long')
    await untilAt(tab.page, 3_000)
  })

  t.test('to a page that navigates by itself scrolls the next page to its top', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/long', viewport })
    const { page } = tab
    await until(page, () => document.querySelector('#tall')!.getAttribute('height') === '5000')
    await scrollDown(page, 3_000)
    const click = (to: string) =>
      page.evaluate((href) => document.querySelector<HTMLElement>(`nav a[href="${href}"]`)!.click(), to)
    await click('/short')
    await untilHeading(tab, 'Short')
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.title !== 'Long') return
        document.querySelector<HTMLElement>('nav a[href="/item/1"]')!.click()
      }).observe(document.querySelector('title')!, { childList: true })
    })
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await pause()
    t.equal(await page.evaluate(() => scrollY), 0)
  })

  t.test('or reloading, or returning from another document, restores the position', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short', viewport })
    const { page } = tab
    await followLink(tab, 'Item 1', 'Item 1')
    await scrollDown(page, 700)
    await page.reload()
    await hydrated(page)
    await untilAt(page, 700)
    await page.goto('/healthz')
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await untilAt(page, 700)
    await hydrated(page)
    await page.goBack()
    await untilHeading(tab, 'Short')
    await page.goForward()
    await untilHeading(tab, 'Item 1')
    await untilAt(page, 700)
  })
  t.test('to a page that is loaded as a document restores the position of that page', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    await scrollDown(page, 300)
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/item/2"]')!.click())
    await untilHeading(tab, 'Item 2')
    // After a reload, the page to return to is not in memory.
    await page.reload()
    await hydrated(page)
    await scrollDown(page, 900)
    tab.requests.length = 0
    await page.route('**/-/data/item/1', (route) => route.fulfill({ body: 'of a proxy', contentType: 'text/plain' }))
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    await hydrated(page)
    await untilAt(page, 300)
    t.same(tab.pathsOf('document'), ['/item/1'])
    // The body of the unknown response is not read.
    await takeAborted(tab)
  })

  t.test('by two entries from another document restores the position', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1', viewport })
    const { page } = tab
    await scrollDown(page, 300)
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/item/2"]')!.click())
    await untilHeading(tab, 'Item 2')
    await page.goto('/healthz')
    await page.evaluate(() => setTimeout(() => history.go(-2)))
    await untilHeading(tab, 'Item 1')
    await hydrated(page)
    await untilAt(page, 300)
  })
})

t.test('a tab that the system has ended in the background is restored at its scroll positions', async (t) => {
  const { origin } = await startMoves(t)
  const tab = await openTab(t, browser, { origin, viewport })
  const { page } = tab
  // A tab that is ended sees no other event after it was hidden.
  await page.addInitScript(() => {
    addEventListener('pagehide', (event) => event.stopImmediatePropagation())
  })
  await tab.open('/item/1')
  await hydrated(page)
  await scrollDown(page, 300)
  await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/item/2"]')!.click())
  await untilHeading(tab, 'Item 2')
  await scrollDown(page, 700)
  // Chromium reports the page as hidden.
  await page.reload()
  await hydrated(page)
  await untilAt(page, 700)
  await page.goBack()
  await untilHeading(tab, 'Item 1')
  await untilAt(page, 300)
})
