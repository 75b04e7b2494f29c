import t from 'tap'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { prefetch, followLink, openInteractive, pause, untilHeading, startMoves } from '@hull/test-helpers/moves.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)

t.test('a page is prefetched', async (t) => {
  const { origin, logs } = await startMoves(t)
  const at = '/'
  const link = (name: string) => ({ name, exact: true })

  t.test('when the pointer rests on its link, and the click sends no other request', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at })
    await tab.page.getByRole('link', link('Item 1')).hover()
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await followLink(tab, 'Item 1', 'Item 1')
    t.same(tab.pathsOf('fetch'), ['/-/data/item/1'])
    t.equal(tab.pathsOf('script').length, 1, 'the chunk is loaded once')
    t.same(tab.pathsOf('document'), [])
  })

  t.test('when its link has the focus', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at })
    await tab.page.getByRole('link', link('Item 2')).focus()
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await tab.page.keyboard.press('Enter')
    await until(tab.page, () => document.title === 'Item 2')
    t.same(tab.pathsOf('fetch'), ['/-/data/item/2'])
  })

  t.test('when a finger touches its link', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at, hasTouch: true })
    const target = tab.page.getByRole('link', link('Item 1'))
    await target.dispatchEvent('touchstart')
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await target.tap()
    await until(tab.page, () => document.title === 'Item 1')
    t.same(tab.pathsOf('fetch'), ['/-/data/item/1'])
  })

  t.test('when its link comes into view, if the link has this option', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at })
    await pause()
    t.same(tab.pathsOf('fetch'), [], 'not while the link is far below the viewport')
    await tab.page.mouse.wheel(0, 4_000)
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await followLink(tab, 'Far below', 'Item far')
    t.same(tab.pathsOf('fetch'), ['/-/data/item/far'])
  })

  t.test('when its link is in view and gets another href', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/pager' })
    // A click with the pointer would prefetch the page too.
    await tab.page.getByRole('link', link('Next')).evaluate((next: HTMLElement) => next.click())
    await untilHeading(tab, 'Part 2')
    await eventually(() => tab.pathsOf('fetch').includes('/-/data/pager?part=3'))
  })

  t.test('when its link gets another href under the pointer', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/pager?plain' })
    const next = tab.page.getByRole('link', link('Next'))
    await next.hover()
    await next.click()
    await untilHeading(tab, 'Part 2')
    const { x, y } = (await next.boundingBox())!
    await tab.page.mouse.move(x + 2, y + 2)
    await eventually(() => tab.pathsOf('fetch').includes('/-/data/pager?plain&part=3'))
  })

  t.test('but not if its link disables it, and not by a pointer that moves on', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at })
    await tab.page.getByRole('link', link('Item 1')).hover()
    await tab.page.getByRole('link', link('Never ahead')).hover()
    await tab.page.getByRole('link', link('Never ahead')).focus()
    await pause()
    t.notOk(tab.pathsOf('fetch').includes('/-/data/item/none'))
    await followLink(tab, 'Never ahead', 'Item none')
    t.ok(tab.pathsOf('fetch').includes('/-/data/item/none'))
  })

  for (const connection of [{ saveData: true }, { effectiveType: '2g' }, { effectiveType: 'slow-2g' }]) {
    t.test(`but never with ${JSON.stringify(connection)}`, async (t) => {
      const tab = await openInteractive(t, browser, { origin, at })
      await tab.page.addInitScript((value) => {
        Object.defineProperty(navigator, 'connection', { value })
      }, connection)
      await tab.open(at)
      await until(tab.page, () => document.querySelector('.shell-announcer') !== null)
      tab.requests.length = 0
      await tab.page.getByRole('link', link('Item 1')).hover()
      await tab.page.getByRole('link', link('Item 2')).focus()
      await tab.page.mouse.wheel(0, 4_000)
      await pause()
      t.same([...tab.pathsOf('fetch'), ...tab.pathsOf('script')], [])
      await tab.page.evaluate(() => scrollTo(0, 0))
      await followLink(tab, 'Item 1', 'Item 1')
      t.same(tab.pathsOf('fetch'), ['/-/data/item/1'], 'the click requests the data')
    })
  }

  t.test('and redirects: each step is requested once', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at })
    await tab.page.getByRole('link', link('To a redirect')).hover()
    await eventually(() => tab.pathsOf('fetch').length === 1)
    await followLink(tab, 'To a redirect', 'Item 2')
    t.equal(tab.page.url(), `${origin}/item/2`)
    t.same(tab.pathsOf('fetch'), ['/-/data/outcome/redirect', '/-/data/item/2'])
  })

  for (const [name, path, status, heading, usage] of [
    ['To a 404', '/outcome/missing', 404, 'Not found', 'is used'],
    [
      'To a 500',
      '/outcome/failing',
      500,
      /^Application error/,
      'is requested again, because the error may be temporary'
    ]
  ] as const) {
    t.test(`and is ${status}: only the click shows it, and the prefetched response ${usage}`, async (t) => {
      const tab = await openInteractive(t, browser, { origin, at })
      await prefetch(tab, path, () => tab.page.getByRole('link', link(name)).hover())
      await pause(100)
      t.equal(await tab.page.locator('h1').innerText(), 'Home')
      await tab.page.getByRole('link', link(name)).click()
      await tab.page.getByRole('heading', { name: heading }).waitFor()
      t.equal(tab.page.url(), origin + path)
      t.same(tab.pathsOf('fetch'), Array(status === 404 ? 1 : 2).fill(`/-/data${path}`))
      t.same(tab.pathsOf('document'), [])
      await tab.take()
      t.equal(logs.takeErrors().length, status === 404 ? 0 : 2)
    })
  }
})
