import t from 'tap'
import { launchBrowser, openTab, until, type Tab } from '@hull/test-helpers/browser.ts'
import {
  followLink,
  openInteractive,
  pause,
  prefetch,
  untilHeading,
  untilInteractive,
  startMoves,
  untilAborted
} from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const press = ({ page }: Tab, name: string) => page.getByRole('button', { name, exact: true }).click()

t.test('a component', async (t) => {
  const { origin, logs } = await startMoves(t)
  const open = (t: Parameters<typeof openInteractive>[0]) => openInteractive(t, browser, { origin, at: '/tools' })

  t.test('refreshes its page: new data, with the same state, scroll position and focus', async (t) => {
    const tab = await open(t)
    await press(tab, 'clicked 0')
    const served = await tab.page.locator('#served').innerText()
    const before = await tab.page.evaluate(() => scrollY)
    t.ok(before > 0)
    await press(tab, 'Refresh')
    await until(tab.page, (old) => document.querySelector('#served')!.textContent !== old, served)
    t.equal(await tab.page.getByRole('button').first().innerText(), 'clicked 1')
    t.equal(await tab.page.evaluate(() => scrollY), before)
    t.equal(await tab.page.evaluate(() => document.activeElement?.textContent), 'Refresh')
    t.equal(await tab.page.locator('.shell-announcer').innerText(), '', 'nothing is announced')
    t.equal(await tab.page.evaluate(() => history.length), 2, 'no history entry is added')
  })

  t.test('refreshes its page, which discards data that was prefetched or kept before', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1' })
    const { page } = tab
    await follow(page, '/tools')
    await untilHeading(tab, 'Tools')
    await prefetch(tab, '/item/2', () => press(tab, 'Prefetch'))
    tab.requests.length = 0
    await page.evaluate(() => {
      const click = (name: string) =>
        [...document.querySelectorAll('button')].find((b) => b.textContent === name)!.click()
      click('Refresh')
      document.querySelector<HTMLElement>('a[href="/item/2"]')!.click()
    })
    await untilHeading(tab, 'Item 2')
    t.ok(tab.pathsOf('fetch').includes('/-/data/item/2'), 'a page that was prefetched before is requested again')
    await page.goBack()
    await untilHeading(tab, 'Tools')
    await page.goBack()
    await untilHeading(tab, 'Item 1')
    t.ok(tab.pathsOf('fetch').includes('/-/data/item/1'), 'a page that was left before is requested again')
    await tab.take()
  })

  t.test('refreshes its page at the URL that other code has set', async (t) => {
    const tab = await open(t)
    await tab.page.evaluate(() => history.replaceState(null, '', '?tab=2#state'))
    const served = await tab.page.locator('#served').innerText()
    await press(tab, 'Refresh')
    await until(tab.page, (old) => document.querySelector('#served')!.textContent !== old, served)
    t.equal(tab.page.url(), `${origin}/tools?tab=2#state`)
  })

  t.test('shows another page from its top, with focus and announcement, if a refresh is redirected', async (t) => {
    const viewport = { width: 300, height: 120 }
    const tab = await openInteractive(t, browser, { origin, at: '/draft', viewport })
    const { page } = tab
    await page.getByRole('button', { name: 'Refresh' }).focus()
    await page.evaluate(() => scrollTo(0, 60))
    await until(page, () => scrollY === 60)
    await page.context().addCookies([{ name: 'ended', value: 'yes', url: origin }])
    await page.keyboard.press('Enter')
    await untilHeading(tab, 'Item 2')
    await until(page, () => document.querySelector('.shell-announcer')?.textContent === 'Item 2')
    t.equal(await page.evaluate(() => document.activeElement?.localName), 'main')
    t.equal(await page.evaluate(() => scrollY), 0)
    t.equal(await page.evaluate(() => history.length), 2, 'no history entry is added')
  })

  t.test('a failed refresh changes nothing', async (t) => {
    const tab = await open(t)
    const served = await tab.page.locator('#served').innerText()
    await tab.page.context().addCookies([{ name: 'broken', value: 'yes', url: origin }])
    await press(tab, 'Refresh')
    await eventually(() => logs.takeErrors().length === 1)
    await pause()
    t.equal(await tab.page.locator('h1').innerText(), 'Tools')
    await tab.page.context().setOffline(true)
    await press(tab, 'Refresh')
    await pause()
    t.equal(await tab.page.locator('h1').innerText(), 'Tools')
    t.equal(await tab.page.locator('#served').innerText(), served)
    t.equal(tab.page.url(), `${origin}/tools`)
    await tab.page.context().setOffline(false)
    t.same(tab.pathsOf('document'), [])
    await tab.take()
  })

  t.test('a refresh whose late part takes longer than ten seconds changes nothing', async (t) => {
    const tab = await openTab(t, browser, { origin })
    const { page } = tab
    await page.clock.install()
    await tab.open('/stream?hold=3000')
    await page.getByText('it came late').waitFor()
    await untilInteractive(tab)
    const refreshed = page.waitForResponse('**/-/data/stream?hold=3000')
    await press(tab, 'Refresh')
    await refreshed
    await pause()
    await page.clock.fastForward('00:11')
    t.match(await untilAborted(tab, 1), ['/-/data/stream?hold=3000'])
    await pause()
    t.equal(await page.locator('h1').innerText(), 'Stream')
    t.equal(await page.locator('#late').innerText(), 'it came late')
    t.same(tab.pathsOf('document'), ['/stream?hold=3000'])
  })

  t.test('navigates to a hash of its page, and going back restores the scroll position', async (t) => {
    const tab = await open(t)
    const { page } = tab
    await page.getByRole('button', { name: 'Hash', exact: true }).scrollIntoViewIfNeeded()
    const before = await page.evaluate(() => Math.round(scrollY))
    t.ok(before > 0)
    await page.getByRole('button', { name: 'Hash', exact: true }).evaluate((button: HTMLElement) => button.click())
    await until(page, () => location.hash === '#served')
    const part = await page.evaluate(() => scrollY)
    await page.evaluate((y) => scrollTo(0, y), before)
    await page.getByRole('button', { name: 'Hash', exact: true }).evaluate((button: HTMLElement) => button.click())
    t.equal(await page.evaluate(() => scrollY), part, 'the same hash scrolls there again, as a link does')
    await page.evaluate((y) => scrollTo(0, y), before)
    await page.getByRole('button', { name: 'Replace hash' }).evaluate((button: HTMLElement) => button.click())
    await until(page, () => location.hash === '#state')
    t.equal(await page.evaluate(() => history.length), 3, 'only the first navigation adds a history entry')
    await page.goBack()
    await until(page, (at) => location.hash === '' && Math.abs(scrollY - at) <= 1, before)
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test('navigates', async (t) => {
    const tab = await open(t)
    await press(tab, 'Navigate')
    await untilHeading(tab, 'Item 1')
    await tab.page.goBack()
    await untilHeading(tab, 'Tools')
    await press(tab, 'Keep')
    await until(tab.page, () => document.querySelector('#query')!.textContent === '1')
    t.ok((await tab.page.evaluate(() => scrollY)) > 0)
    t.equal(await tab.page.evaluate(() => document.activeElement?.textContent), 'Keep')
    await press(tab, 'Replace')
    await untilHeading(tab, 'Item 1')
    await tab.page.goBack()
    await untilHeading(tab, 'Tools')
    t.equal(tab.page.url(), `${origin}/tools`)
    t.same(tab.pathsOf('document'), [])
  })

  t.test('navigates to a hash, and not to a javascript: URL', async (t) => {
    const tab = await open(t)
    await press(tab, 'Script')
    await press(tab, 'Hash')
    await until(tab.page, () => location.hash === '#served')
    t.equal(await tab.page.locator('h1').innerText(), 'Tools')
    t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('document')], [])
  })

  t.test('prefetches', async (t) => {
    const tab = await open(t)
    await press(tab, 'Prefetch')
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await followLink(tab, 'Item 2', 'Item 2')
    t.same(tab.pathsOf('fetch'), ['/-/data/item/2'])
  })

  t.test('shows what is loading, and when it ends', async (t) => {
    const tab = await open(t)
    const state = () => tab.page.locator('#state').innerText()
    t.equal(await state(), 'idle')
    await press(tab, 'Wait')
    await until(tab.page, () => document.querySelector('#state')!.textContent === 'loading /slow?ms=8000')
    await press(tab, 'Hash')
    await until(tab.page, () => document.querySelector('#state')!.textContent === 'idle ')
    t.same(await untilAborted(tab, 1), ['/-/data/slow?ms=8000'])
  })
})
