import t from 'tap'
import type { Page } from 'playwright'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import {
  prefetch,
  followLink,
  openInteractive,
  pause,
  startMoves,
  untilHeading,
  takeAborted
} from '@hull/test-helpers/moves.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

/** Milliseconds for which the pointer must be over a link before its page is prefetched. */
const HOVER_DELAY = 50

t.test('prefetched data is kept', async (t) => {
  // Longer than this test, so that the server does not end the slow pages.
  const { origin } = await startMoves(t, { env: { RENDER_TIMEOUT: '60s' } })

  t.test('for 300 s if it is static, and every navigation uses it', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/' })
    const { page } = tab
    await page.clock.install()
    await tab.open('/short')
    await page.locator('.shell-announcer').waitFor({ state: 'attached' })
    tab.requests.length = 0
    await page.clock.pauseAt(Date.now() + 3_600_000)
    const countRequests = () => tab.pathsOf('fetch').filter((path) => path === '/-/data/static/a').length

    await link(page, 'Static A').hover()
    await page.clock.runFor(HOVER_DELAY)
    await eventually(() => countRequests() === 1)
    await followLink(tab, 'Static A', 'Static a')
    const served = await page.locator('#served').innerText()
    await followLink(tab, 'Short', 'Short')
    await page.clock.fastForward(299_900)
    await followLink(tab, 'Static A', 'Static a')
    t.equal(await page.locator('#served').innerText(), served)
    t.equal(countRequests(), 1, 'at 299.9 s the data is fresh')

    await followLink(tab, 'Short', 'Short')
    await page.clock.fastForward(99)
    await followLink(tab, 'Static A', 'Static a')
    t.equal(countRequests(), 1, 'at 299.999 s the data is fresh')
    await followLink(tab, 'Short', 'Short')
    await page.clock.fastForward(1)
    await followLink(tab, 'Static A', 'Static a')
    t.equal(countRequests(), 2, 'at 300 s the data is requested again')
    t.not(await page.locator('#served').innerText(), served)
  })

  t.test('for the next navigation only, if it is not static', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const countRequests = () => tab.pathsOf('fetch').filter((path) => path === '/-/data/item/1').length
    await prefetch(tab, '/item/1', () => link(tab.page, 'Item 1').hover())
    t.equal(countRequests(), 1)
    await followLink(tab, 'Item 1', 'Item 1')
    await followLink(tab, 'Short', 'Short')
    await followLink(tab, 'Item 1', 'Item 1')
    t.equal(countRequests(), 2)
    await followLink(tab, 'Short', 'Short')
    await prefetch(tab, '/item/1', () => link(tab.page, 'Item 1').focus())
    t.equal(countRequests(), 3)
    await followLink(tab, 'Item 3', 'Item 3')
    await tab.page.mouse.move(0, 500)
    await tab.page.evaluate(() => (document.querySelector('a[href="/item/1"]') as HTMLElement).click())
    await untilHeading(tab, 'Item 1')
    t.equal(countRequests(), 4, 'a click on another page does not use the data')
  })

  t.test('until a form is posted', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    await prefetch(tab, '/static/a', () => link(tab.page, 'Static A').hover())
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.page.getByRole('button', { name: 'Send', exact: true }).click()
    await tab.page.waitForURL(/name=Ada/)
    await followLink(tab, 'Static A', 'Static a')
    t.equal(tab.pathsOf('fetch').filter((path) => path === '/-/data/static/a').length, 2)
  })

  t.test('for at most twenty links; the requests of the others are aborted', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/many' })
    for (let i = 0; i < 60; i++) {
      await link(tab.page, `Number ${i}`).focus()
      await eventually(() => tab.pathsOf('fetch').length === i + 1)
    }
    const aborted: string[] = []
    for (const end = performance.now() + PATIENCE; aborted.length < 40 && performance.now() < end;) {
      aborted.push(...(await takeAborted(tab)))
      await pause(20)
    }
    await pause()
    aborted.push(...(await takeAborted(tab)))
    t.same(
      aborted.toSorted(),
      Array.from({ length: 40 }, (_, i) => `/-/data/slow?ms=${30_000 + i}`).toSorted(),
      'the oldest requests are aborted'
    )
    await followLink(tab, 'Short', 'Short')
    t.same(tab.pathsOf('document'), [], 'the click waits for no prefetch, and loads no document')
    await pause()
    t.equal((await takeAborted(tab)).length, 20, 'the navigation aborts the prefetches of the page')
  })
})

t.test('links that scroll under a resting pointer are not prefetched', async (t) => {
  const { origin } = await startMoves(t, { env: { RENDER_TIMEOUT: '60s' } })
  const tab = await openInteractive(t, browser, { origin, at: '/many' })
  const { page } = tab
  const box = (await link(page, 'Number 10').boundingBox())!
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  const pointedAt = () => page.evaluate(() => document.querySelector('a:hover')?.textContent)
  await page.mouse.move(point.x, point.y)
  await eventually(() => tab.pathsOf('fetch').length === 1)
  t.equal(await pointedAt(), 'Number 10')

  const distance = (await link(page, 'Number 11').boundingBox())!.y - box.y
  for (const other of ['Number 11', 'Number 12', 'Number 13']) {
    await page.mouse.wheel(0, distance)
    await until(page, (name) => document.querySelector('a:hover')?.textContent === name, other)
    await pause()
  }
  t.same(tab.pathsOf('fetch'), ['/-/data/slow?ms=30010'])
  await followLink(tab, 'Short', 'Short')
  await takeAborted(tab)
})
