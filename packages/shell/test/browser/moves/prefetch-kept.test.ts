import t from 'tap'
import type { Page } from 'playwright'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { fetchAhead, follow, openAlive, pause, startMoves, stands, takeAborted } from '@hull/test-helpers/moves.ts'
import { eventually, PATIENCE } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

/** Milliseconds that a pointer rests on a link before its page is fetched. */
const HOVER_DELAY = 50

t.test('prefetched data is kept', async (t) => {
  // Longer than this test, so that no page is cut off.
  const { origin } = await startMoves(t, { env: { RENDER_TIMEOUT: '60s' } })

  t.test('for 300 s where it is static, and serves every navigation until then', async (t) => {
    const tab = await openAlive(t, browser, { origin, at: '/' })
    const { page } = tab
    await page.clock.install()
    await tab.open('/short')
    await page.locator('.shell-announcer').waitFor({ state: 'attached' })
    tab.requests.length = 0
    await page.clock.pauseAt(Date.now() + 3_600_000)
    const asked = () => tab.pathsOf('fetch').filter((path) => path === '/-/data/static/a').length

    await link(page, 'Static A').hover()
    await page.clock.runFor(HOVER_DELAY)
    await eventually(() => asked() === 1)
    await follow(tab, 'Static A', 'Static a')
    const served = await page.locator('#served').innerText()
    await follow(tab, 'Short', 'Short')
    await page.clock.fastForward(299_900)
    await follow(tab, 'Static A', 'Static a')
    t.equal(await page.locator('#served').innerText(), served)
    t.equal(asked(), 1, 'at 299.9 s it is fresh')

    await follow(tab, 'Short', 'Short')
    await page.clock.fastForward(99)
    await follow(tab, 'Static A', 'Static a')
    t.equal(asked(), 1, 'and at 299.999 s')
    await follow(tab, 'Short', 'Short')
    await page.clock.fastForward(1)
    await follow(tab, 'Static A', 'Static a')
    t.equal(asked(), 2, 'at 300 s it is not')
    t.not(await page.locator('#served').innerText(), served)
  })

  t.test('for the next navigation only where it may change', async (t) => {
    const tab = await openAlive(t, browser, { origin, at: '/short' })
    const asked = () => tab.pathsOf('fetch').filter((path) => path === '/-/data/item/1').length
    await fetchAhead(tab, '/item/1', () => link(tab.page, 'Item 1').hover())
    t.equal(asked(), 1)
    await follow(tab, 'Item 1', 'Item 1')
    await follow(tab, 'Short', 'Short')
    await follow(tab, 'Item 1', 'Item 1')
    t.equal(asked(), 2)
    await follow(tab, 'Short', 'Short')
    await fetchAhead(tab, '/item/1', () => link(tab.page, 'Item 1').focus())
    t.equal(asked(), 3)
    await follow(tab, 'Item 3', 'Item 3')
    await tab.page.mouse.move(0, 500)
    await tab.page.evaluate(() => (document.querySelector('a[href="/item/1"]') as HTMLElement).click())
    await stands(tab, 'Item 1')
    t.equal(asked(), 4, 'what was fetched from one page does not serve a click on another')
  })

  t.test('until something is posted', async (t) => {
    const tab = await openAlive(t, browser, { origin, at: '/form' })
    await fetchAhead(tab, '/static/a', () => link(tab.page, 'Static A').hover())
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.page.getByRole('button', { name: 'Send', exact: true }).click()
    await tab.page.waitForURL(/name=Ada/)
    await follow(tab, 'Static A', 'Static a')
    t.equal(tab.pathsOf('fetch').filter((path) => path === '/-/data/static/a').length, 2)
  })

  t.test('within a bound: of sixty links twenty stay, and the others are given up', async (t) => {
    const tab = await openAlive(t, browser, { origin, at: '/many' })
    for (let i = 0; i < 60; i++) {
      await link(tab.page, `Number ${i}`).focus()
      await eventually(() => tab.pathsOf('fetch').length === i + 1)
    }
    const given: string[] = []
    for (const end = performance.now() + PATIENCE; given.length < 40 && performance.now() < end;) {
      given.push(...(await takeAborted(tab)))
      await pause(20)
    }
    await pause()
    given.push(...(await takeAborted(tab)))
    t.same(
      given.toSorted(),
      Array.from({ length: 40 }, (_, i) => `/-/data/slow?ms=${30_000 + i}`).toSorted(),
      'the oldest'
    )
    await follow(tab, 'Short', 'Short')
    t.same(tab.pathsOf('document'), [], 'no click waits for what was only pointed at')
    await pause()
    t.equal((await takeAborted(tab)).length, 20, 'what nobody clicked is given up')
  })
})

t.test('a page that moves under a resting pointer fetches nothing', async (t) => {
  const { origin } = await startMoves(t, { env: { RENDER_TIMEOUT: '60s' } })
  const tab = await openAlive(t, browser, { origin, at: '/many' })
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
  await follow(tab, 'Short', 'Short')
  await takeAborted(tab)
})
