import t from 'tap'
import { hydrated, launchBrowser, until } from '@hull/test-helpers/browser.ts'
import {
  followLink,
  openInteractive,
  pause,
  untilHeading,
  startMoves,
  takeAborted,
  untilAborted
} from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)

t.test('the last click wins', async (t) => {
  const { origin, logs } = await startMoves(t)
  const countLines = (words: string) => logs.lines.filter(({ msg }) => msg === words).length

  t.test('and aborts the earlier navigations, also on the server', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/' })
    const before = countLines('slow page was aborted')
    for (const [name, count] of [
      ['Slow', 1],
      ['Slower', 2]
    ] as const) {
      await tab.page.getByRole('link', { name, exact: true }).click()
      await eventually(() => tab.pathsOf('fetch').length === count)
    }
    await followLink(tab, 'Item 1', 'Item 1')
    t.equal(tab.page.url(), `${origin}/item/1`)
    t.same(await untilAborted(tab, 2), ['/-/data/slow?ms=8000', '/-/data/slow?ms=9000'])
    await eventually(() => countLines('slow page was aborted') === before + 2)
    await tab.page.goBack()
    await untilHeading(tab, 'Home')
    t.equal(tab.page.url(), `${origin}/`, 'aborted navigations add no history entry')
  })

  t.test('against a form that is being sent', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/form' })
    await tab.page.getByLabel('Name').fill('Ada')
    await tab.page.getByRole('button', { name: 'Send slowly' }).click()
    await eventually(() => tab.requests.some((request) => request.method() === 'POST'))
    await followLink(tab, 'Item 1', 'Item 1')
    t.same(await untilAborted(tab, 1), ['/form?ms=8000'])
    await pause()
    t.equal(await tab.page.locator('h1').innerText(), 'Item 1')
    t.ok(await tab.page.locator('.shell-notice').isHidden())
  })

  t.test('but a hash does not leave a form that is being sent, nor does going back to one', async (t) => {
    for (const back of [false, true]) {
      const tab = await openInteractive(t, browser, { origin, at: '/form' })
      if (back) await follow(tab.page, '#post')
      await tab.page.getByLabel('Name').fill('Ada')
      await tab.page.locator('#post').evaluate((form) => form.setAttribute('action', '/form?ms=1000'))
      await tab.page.getByRole('button', { name: 'Send', exact: true }).click()
      await eventually(() => tab.requests.some((request) => request.method() === 'POST'))
      if (back) await tab.page.goBack()
      else await follow(tab.page, '#post')
      await until(tab.page, () => document.querySelector('#query')!.textContent.includes('Ada'))
    }
  })

  t.test('against a page that suspends and is not shown yet', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await follow(tab.page, '/suspends')
    await eventually(() => tab.pathsOf('fetch').includes('/-/data/suspends'))
    await pause()
    await follow(tab.page, '#part')
    // The page suspends for two seconds.
    await pause(2_500)
    t.equal(await tab.page.locator('h1').innerText(), 'Short')
    t.equal(tab.page.url(), `${origin}/short#part`)
  })

  t.test('against a static page that is streaming, whose data is still read completely', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await follow(tab.page, '/static-stream')
    await untilHeading(tab, 'Static stream')
    await follow(tab.page, '/item/1')
    await untilHeading(tab, 'Item 1')
    await follow(tab.page, '/static-stream')
    await tab.page.getByText('it came late').waitFor()
    t.equal(tab.pathsOf('fetch').filter((path) => path === '/-/data/static-stream').length, 1)
    // Chromium can report a response that is read in chunks as aborted.
    await pause()
    await takeAborted(tab)
  })

  t.test('against a document that is streaming, whose late part changes nothing', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await tab.page.goto('/stream?hold=1500', { waitUntil: 'commit' })
    await until(tab.page, () =>
      Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react'))
    )
    await until(tab.page, () => document.querySelector('.shell-announcer') !== null)
    t.equal(await tab.page.evaluate(() => document.readyState), 'loading')
    await followLink(tab, 'Item 1', 'Item 1')
    await tab.page.waitForLoadState()
    await pause()
    t.equal(await tab.page.locator('h1').innerText(), 'Item 1')
    t.equal(await tab.page.locator('#late').count(), 0)
    await tab.page.goBack()
    await tab.page.getByText('it came late').waitFor()
    t.equal(tab.page.url(), `${origin}/stream?hold=1500`)
    await hydrated(tab.page)
  })

  t.test('against page data that is streaming, which is aborted', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    const before = countLines('stream page was aborted')
    await followLink(tab, 'Stream', 'Stream')
    t.equal(await tab.page.locator('#waiting').count(), 1, 'the page is shown before its late part')
    await followLink(tab, 'Item 1', 'Item 1')
    t.same(await untilAborted(tab, 1), ['/-/data/stream?hold=3000'])
    await eventually(() => countLines('stream page was aborted') === before + 1)
    await pause()
    t.equal(await tab.page.locator('h1').innerText(), 'Item 1')
    await tab.page.goBack()
    await tab.page.getByText('it came late').waitFor()
    t.equal(
      tab.pathsOf('fetch').filter((path) => path.startsWith('/-/data/stream')).length,
      2,
      'incomplete page data is not kept'
    )
    // Chromium reports every body that is read in chunks as aborted, even a complete one.
    await takeAborted(tab)
  })

  t.test('going back also aborts a navigation', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await followLink(tab, 'Item 1', 'Item 1')
    await tab.page.getByRole('link', { name: 'Slow', exact: true }).click()
    await eventually(() => tab.pathsOf('fetch').length === 2)
    await tab.page.goBack()
    await untilHeading(tab, 'Short')
    t.equal(tab.page.url(), `${origin}/short`)
    t.same(await untilAborted(tab, 1), ['/-/data/slow?ms=8000'])
    await tab.page.goForward()
    await untilHeading(tab, 'Item 1')
  })
})
