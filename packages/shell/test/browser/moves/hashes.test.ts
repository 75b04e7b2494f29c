import t from 'tap'
import type { Page } from 'playwright'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { followLink, openInteractive, startMoves, untilHeading } from '@hull/test-helpers/moves.ts'

const browser = await launchBrowser(t)
const viewport = { width: 800, height: 600 }
const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY))
const untilAt = (page: Page, y: number) => until(page, (at) => Math.abs(scrollY - at) <= 1, y)
/** Returns whether an element is at the top of the window, apart from scroll margin and padding. */
const isOnTop = (page: Page, selector: string) =>
  page.evaluate((name) => {
    const element = document.querySelector(name)!
    const { scrollPaddingTop } = getComputedStyle(document.documentElement)
    const { scrollMarginTop } = getComputedStyle(element)
    const distance = (parseFloat(scrollPaddingTop) || 0) + (parseFloat(scrollMarginTop) || 0)
    return Math.abs(element.getBoundingClientRect().top - distance) < 1
  }, selector)

t.test('a hash', async (t) => {
  const { origin } = await startMoves(t)

  t.test('of the shown page is left to the browser: no request, and focus and `:target` change', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport })
    const { page } = tab
    await page.getByRole('link', { name: 'One' }).click()
    await until(page, () => location.hash === '#one' && scrollY > 0)
    t.ok(await isOnTop(page, '#one'))
    t.equal(await page.evaluate(() => document.querySelector(':target')?.id), 'one')
    await page.keyboard.press('Tab')
    t.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      'Encoded',
      'the next focus is after the target'
    )
    const one = await scrolled(page)

    await page.getByRole('link', { name: 'Encoded' }).click()
    await until(page, () => decodeURIComponent(location.hash) === '#zwei ü')
    t.ok(await isOnTop(page, '[id="zwei ü"]'))
    const two = await scrolled(page)
    t.ok(two > one)
    await page.goBack()
    await untilAt(page, one)
    t.equal(page.url(), `${origin}/hashes#one`)
    await page.goForward()
    await untilAt(page, two)
    await page.getByRole('link', { name: 'Top' }).click()
    await untilAt(page, 0)
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test("going back restores the position, even before the browser's scroll event", async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport })
    const { page } = tab
    await page.getByRole('link', { name: 'One' }).click()
    await until(page, () => location.hash === '#one' && scrollY > 0)
    const one = await scrolled(page)
    // On a busy machine the browser renders no frame for a while, and it fires scroll events with frames.
    await page.evaluate(() => addEventListener('scroll', (event) => event.stopImmediatePropagation(), true))
    // A click with the pointer would scroll to the link.
    await page.getByRole('link', { name: 'Encoded' }).evaluate((link: HTMLElement) => link.click())
    await until(page, (from) => scrollY > from, one)
    const two = await scrolled(page)
    await page.goBack()
    await untilAt(page, one)
    await page.goForward()
    await untilAt(page, two)
  })

  t.test('from the address bar: going back restores the position', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport })
    const { page } = tab
    await page.mouse.wheel(0, 250)
    await untilAt(page, 250)
    await page.goto(`${origin}/hashes#two`)
    await until(page, () => scrollY > 250)
    const two = await scrolled(page)
    await page.goBack()
    await untilAt(page, 250)
    await page.goForward()
    await untilAt(page, two)
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test('without an element does not scroll', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport })
    await tab.page.getByRole('link', { name: 'Unknown' }).click()
    await until(tab.page, () => location.hash === '#unknown')
    t.equal(await scrolled(tab.page), 0)
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test('of another page scrolls to its element and focuses it', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short', viewport })
    const { page } = tab
    for (const [hash, id] of [
      ['#one', 'one'],
      ['#zwei%20%C3%BC', 'zwei ü'],
      ['#two', 'two']
    ] as const) {
      await page.evaluate((to) => {
        document.querySelector('h1')!.innerHTML = `Short <a href="/hashes${to}">There</a>`
      }, hash)
      await followLink(tab, 'There', 'Hashes')
      t.equal(page.url(), `${origin}/hashes${hash}`)
      t.ok(await isOnTop(page, `[id="${id}"]`))
      t.equal(await page.evaluate(() => document.activeElement?.id), id)
      await followLink(tab, 'Short', 'Short')
    }
  })

  t.test('of another page makes its element the `:target`, and shows one that is hidden until found', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short', viewport })
    const { page } = tab
    for (const hash of ['#one', '#found']) {
      await page.evaluate((to) => {
        document.querySelector('h1')!.innerHTML = `Short <a href="/hashes${to}">There</a>`
      }, hash)
      await followLink(tab, 'There', 'Hashes')
      t.equal(await page.evaluate(() => `#${document.querySelector(':target')?.id}`), hash)
      t.ok(await page.evaluate(() => document.activeElement === document.querySelector(':target')))
      t.ok(await isOnTop(page, hash))
      const { length, state } = await page.evaluate(() => ({ length: history.length, state: history.state as unknown }))
      t.match(state, { key: String })
      await followLink(tab, 'Short', 'Short')
      t.equal(await page.evaluate(() => history.length), length + 1)
      await page.goBack()
      await untilHeading(tab, 'Hashes')
      t.same(await page.evaluate(() => history.state as unknown), state)
      await page.goForward()
      await untilHeading(tab, 'Short')
    }
  })

  t.test('of another page finds an anchor by its name, and opens a closed parent of its element', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short', viewport })
    const { page } = tab
    for (const [hash, selector] of [
      ['#part%20three', 'a[name]'],
      ['#folded', '#folded']
    ] as const) {
      await page.evaluate((to) => {
        document.querySelector('h1')!.innerHTML = `Short <a href="/hashes${to}">There</a>`
      }, hash)
      await followLink(tab, 'There', 'Hashes')
      t.ok(await isOnTop(page, selector), hash)
      t.ok(await page.evaluate((name) => document.activeElement!.matches(name), selector), hash)
      await followLink(tab, 'Short', 'Short')
    }
  })

  t.test('of another page without an element scrolls to the top', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport })
    await tab.page.evaluate(() => {
      scrollTo(0, 2_000)
      document.querySelector('#one')!.innerHTML = '<a href="/item/1#nothing">There</a>'
    })
    await followLink(tab, 'There', 'Item 1')
    t.equal(await scrolled(tab.page), 0)
  })

  t.test('of another page scrolls to an element that is streamed later', async (t) => {
    // The browser reports that a completely read stream was aborted.
    const tab = await openInteractive(t, browser, { origin, at: '/hashes', viewport, refetches: true })
    await tab.page.evaluate(() => {
      document.querySelector('#one')!.innerHTML = '<a href="/static-stream#late">There</a>'
    })
    await followLink(tab, 'There', 'Static stream')
    await until(tab.page, () => document.activeElement?.id === 'late')
    t.equal(await tab.page.evaluate(() => document.querySelector(':target')?.id), 'late')
  })

  t.test('is restored when going back to another page and forward again', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short', viewport })
    await tab.page.evaluate(() => {
      document.querySelector('h1')!.innerHTML = '<a href="/hashes#one">There</a>'
    })
    await followLink(tab, 'There', 'Hashes')
    const there = await scrolled(tab.page)
    await tab.page.goBack()
    await until(tab.page, () => document.title === 'Short')
    await tab.page.goForward()
    await until(tab.page, () => document.title === 'Hashes')
    await untilAt(tab.page, there)
  })
})
