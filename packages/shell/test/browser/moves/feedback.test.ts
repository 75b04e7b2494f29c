import t from 'tap'
import { launchBrowser, until, type Tab } from '@hull/test-helpers/browser.ts'
import {
  untilInteractive,
  followLink,
  openInteractive,
  untilHeading,
  startMoves,
  untilAborted
} from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const bar = ({ page }: Tab) => page.locator('.shell-progress')
const announced = ({ page }: Tab) => page.locator('.shell-announcer').innerText()

t.test('a navigation', async (t) => {
  const { origin } = await startMoves(t)

  t.test('shows a progress bar from 150 ms after the click until it ends', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const { page } = tab
    await page.clock.install()
    await tab.open('/short')
    await untilInteractive(tab)
    await page.clock.pauseAt(Date.now() + 3_600_000)
    tab.requests.length = 0
    await page.getByRole('link', { name: 'Slow', exact: true }).click()
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await page.clock.runFor(149)
    t.ok(await bar(tab).isHidden(), 'no bar at 149 ms')
    await page.clock.runFor(1)
    t.ok(await bar(tab).isVisible(), 'a bar at 150 ms')
    await page.clock.runFor(100)
    await page.getByRole('link', { name: 'Slower' }).click()
    t.ok(await bar(tab).isVisible(), 'the bar is still shown during the second navigation')
    await followLink(tab, 'Item 1', 'Item 1')
    await until(page, () => document.querySelector('.shell-progress[hidden]') !== null)
    await page.clock.runFor(1_000)
    t.ok(await bar(tab).isHidden(), 'the bar is not shown again')
    t.equal((await untilAborted(tab, 2)).length, 2)
  })

  t.test('announces the title of the new page', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    t.equal(await announced(tab), '')
    t.equal(await tab.page.locator('.shell-announcer').getAttribute('aria-live'), 'polite')
    await followLink(tab, 'Item 1', 'Item 1')
    await until(tab.page, () => document.querySelector('.shell-announcer')!.textContent === 'Item 1')
    await tab.page.goBack()
    await until(tab.page, () => document.querySelector('.shell-announcer')!.textContent === 'Short')
  })

  t.test('removes the announced title, and announces the same title again', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const { page } = tab
    await page.clock.install()
    await tab.open('/short')
    await untilInteractive(tab)
    const text = () => page.evaluate(() => document.querySelector('.shell-announcer')!.textContent)
    await followLink(tab, 'Item 1', 'Item 1')
    await until(page, () => document.querySelector('.shell-announcer')!.textContent === 'Item 1')
    await follow(page, '/item/1?again')
    await until(page, () => document.querySelector('.shell-announcer')!.textContent === 'Item 1\u00a0')
    await follow(page, '/item/1?more')
    await until(page, () => document.querySelector('.shell-announcer')!.textContent === 'Item 1')
    await page.clock.runFor(4_000)
    t.equal(await text(), 'Item 1')
    await page.clock.runFor(60_000)
    t.equal(await text(), '', 'a screen reader does not find it at the end of the page')
  })

  t.test('focuses main, or the element that the page has chosen', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1' })
    await followLink(tab, 'Item 2', 'Item 2')
    t.equal(await tab.page.evaluate(() => document.activeElement?.id), 'main')
    await followLink(tab, 'Short', 'Short')
    t.equal(await tab.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'First')
  })

  t.test('focuses main once: a later click on a text in it moves no focus there', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1' })
    const { page } = tab
    await followLink(tab, 'Item 2', 'Item 2')
    t.equal(await page.evaluate(() => document.activeElement?.id), 'main')
    await page.getByRole('link', { name: 'Home' }).focus()
    await page.locator('h1').click()
    t.equal(await page.evaluate(() => document.activeElement?.localName), 'body')
    await followLink(tab, 'Item 3', 'Item 3')
    t.equal(await page.evaluate(() => document.activeElement?.id), 'main')
  })

  t.test('leaves the focus where the visitor has moved it since the click', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/item/1' })
    await follow(tab.page, '/slow?ms=500')
    await tab.page.getByRole('link', { name: 'Home' }).focus()
    await untilHeading(tab, 'Slow 500')
    t.equal(await tab.page.evaluate(() => document.activeElement?.textContent), 'Home ')
  })
})

t.test('a view transition', async (t) => {
  const { origin } = await startMoves(t)

  /** Counts view transitions, and those that are running. */
  async function open(t: Parameters<typeof openInteractive>[0], reducedMotion: 'reduce' | 'no-preference') {
    const tab = await openInteractive(t, browser, { origin, at: '/links', reducedMotion })
    await tab.page.evaluate(() => {
      const counted = Object.assign(window, { transitions: 0, running: 0 })
      const start = document.startViewTransition.bind(document)
      document.startViewTransition = (update) => {
        counted.transitions++
        counted.running++
        const transition = start(update)
        void transition.finished.finally(() => counted.running--)
        return transition
      }
    })
    return tab
  }
  const count = ({ page }: Tab) => page.evaluate(() => (window as unknown as { transitions: number }).transitions)

  t.test('runs if a link requests it', async (t) => {
    const tab = await open(t, 'no-preference')
    await followLink(tab, 'Transition', 'Item 1')
    t.equal(await count(tab), 1)
    await tab.page.getByRole('button', { name: 'clicked 0' }).click()
    await tab.page.getByRole('button', { name: 'clicked 1' }).waitFor()
    await followLink(tab, 'Short', 'Short')
    t.equal(await count(tab), 1, 'other links run none')
    await until(tab.page, () => (window as unknown as { running: number }).running === 0)
  })

  t.test('does not intercept clicks', async (t) => {
    const tab = await open(t, 'no-preference')
    await followLink(tab, 'Transition', 'Item 1')
    t.equal(
      await tab.page.evaluate(() => getComputedStyle(document.documentElement, '::view-transition').pointerEvents),
      'none'
    )
  })

  t.test('does not run if the visitor prefers reduced motion', async (t) => {
    const tab = await open(t, 'reduce')
    await followLink(tab, 'Transition', 'Item 1')
    t.equal(await count(tab), 0)
  })

  t.test('ends during a slow page, which is still shown later', async (t) => {
    const tab = await open(t, 'no-preference')
    await tab.page.getByRole('link', { name: 'Suspends' }).click()
    await until(tab.page, () => (window as unknown as { transitions: number }).transitions === 1)
    await untilHeading(tab, 'there now')
    t.equal(tab.page.url(), `${origin}/suspends`)
    await until(tab.page, () => (window as unknown as { running: number }).running === 0)
  })
  t.test('ends if the visitor follows another link before it begins', async (t) => {
    const tab = await open(t, 'no-preference')
    await tab.page.evaluate(() => {
      const start = document.startViewTransition.bind(document)
      document.startViewTransition = (update) => {
        const transition = start(update)
        const { dataset } = document.documentElement
        transition.updateCallbackDone.then(
          () => (dataset.update = 'done'),
          () => (dataset.update = 'timed out')
        )
        document.querySelector<HTMLElement>('nav a[href="/short"]')!.click()
        return transition
      }
    })
    await tab.page.getByRole('link', { name: 'Transition' }).click()
    await untilHeading(tab, 'Short')
    await until(tab.page, () => document.documentElement.dataset.update !== undefined)
    t.equal(await tab.page.locator('html').getAttribute('data-update'), 'done')
    t.equal(tab.page.url(), `${origin}/short`)
  })
})
