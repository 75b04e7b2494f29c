import t, { type Test } from 'tap'
import type { Page, Route } from 'playwright'
import { launchBrowser, until } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import {
  followLink,
  openInteractive,
  pause,
  prefetch,
  untilHeading,
  startMoves,
  takeAborted
} from '@hull/test-helpers/moves.ts'
import { follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const { origin } = await startMoves(t)

const openAt = (t: Test, at: string) => openInteractive(t, browser, { origin, at })

/**
 * Delays the response to matching requests until `release` is called. `answered` resolves when the server has
 * responded.
 */
async function hold(page: Page, path: string, method = 'GET') {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  let isHeld = true
  await page.route(
    (url) => url.pathname === path,
    async (route: Route) => {
      if (!isHeld || route.request().method() !== method) return route.fallback()
      const response = await route.fetch()
      resolve()
      await released
      // The page may have aborted the request.
      await route.fulfill({ response }).catch(() => {})
    }
  )
  return {
    answered,
    release() {
      isHeld = false
      release()
    }
  }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const noNotice = async (t: Test, page: Page) => t.ok(await page.locator('.shell-notice').isHidden())

/** Opens /form, then goes back to a page whose data is delayed. */
async function goBackSlowly(t: Test) {
  const tab = await openAt(t, '/short')
  await followLink(tab, 'Form', 'Form')
  // After the reload, the page to return to is not in memory.
  await tab.page.reload()
  await untilHeading(tab, 'Form')
  await pause()
  const held = await hold(tab.page, '/-/data/short')
  await tab.page.evaluate(() => history.back())
  await held.answered
  t.equal(await tab.page.locator('h1').innerText(), 'Form')
  tab.requests.length = 0
  return { ...tab, held }
}

t.test('the page shows no failure for a form that the server has accepted', async (t) => {
  t.test('if the action takes longer than the timeout for the script of the next page', async (t) => {
    const { page, pathsOf } = await openAt(t, '/draft')
    const held = await hold(page, '/draft', 'POST')
    await press(page, 'Save')
    await held.answered
    await pause(4_000)
    held.release()
    await untilHeading({ page }, 'Item 1')
    t.same(pathsOf('document'), [])
    await noNotice(t, page)
  })

  t.test('if the script of the page that the form is posted to is missing', async (t) => {
    const tab = await openAt(t, '/short')
    const { page, requests } = tab
    await page.route('**/assets/draft-*.js', (route) => route.fulfill({ status: 404 }))
    const held = await hold(page, '/draft', 'POST')
    await page.evaluate(() => {
      const form = '<form method="post" action="/draft"><button name="name" value="Ada">Join</button></form>'
      document.body.insertAdjacentHTML('beforeend', form)
    })
    const missing = page.waitForResponse('**/assets/draft-*.js')
    await press(page, 'Join')
    await Promise.all([held.answered, missing])
    await pause()
    held.release()
    await untilHeading(tab, 'Item 1')
    t.equal(page.url(), `${origin}/item/1?Ada`)
    await noNotice(t, page)
    t.equal(requests.filter((request) => request.method() === 'POST').length, 1)
    tab.seen(404)
  })

  t.test('if the data of the next page fails', async (t) => {
    const proxy = await openMeddlingProxy(t, origin)
    const tab = await openInteractive(t, browser, { origin: proxy.origin, at: '/draft' })
    proxy.meddle(/^\/-\/data\/item\/1/, answer(503, { 'content-type': 'text/html' }, '<h1>503</h1>'))
    await press(tab.page, 'Save')
    await untilHeading(tab, 'Item 1')
    t.match(tab.pathsOf('document'), [/^\/item\/1/])
    t.equal(tab.requests.filter((request) => request.method() === 'POST').length, 1)
    await noNotice(t, tab.page)
    await tab.take()
  })

  t.test('if the action takes half a minute', async (t) => {
    const tab = await openInteractive(t, browser, { origin, at: '/short' })
    await tab.page.clock.install()
    await tab.open('/draft')
    await until(tab.page, () =>
      Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react'))
    )
    const held = await hold(tab.page, '/draft', 'POST')
    await press(tab.page, 'Save')
    await held.answered
    await tab.page.clock.fastForward('00:40')
    await pause()
    await noNotice(t, tab.page)
    held.release()
    await untilHeading(tab, 'Item 1')
  })
})

t.test('while a page that the visitor goes back to is loading', async (t) => {
  t.test('a form without an action posts to the shown page', async (t) => {
    const tab = await goBackSlowly(t)
    const { page, requests, held } = tab
    await page.getByLabel('Name').fill('Ada')
    await press(page, 'Send')
    await until(page, () => location.search.includes('name=Ada'))
    t.same(
      requests.filter((request) => request.method() === 'POST').map((request) => new URL(request.url()).pathname),
      ['/form']
    )
    held.release()
    await takeAborted(tab)
    t.equal(await page.locator('h1').innerText(), 'Form')
  })

  t.test('a link with only a query leads to the shown page', async (t) => {
    const tab = await goBackSlowly(t)
    const { page, held } = tab
    await follow(page, '?again=1')
    await until(page, () => location.pathname + location.search === '/form?again=1')
    held.release()
    await takeAborted(tab)
    t.equal(await page.locator('h1').innerText(), 'Form')
  })

  t.test('a link that replaces the history entry does not change the next entry', async (t) => {
    const tab = await goBackSlowly(t)
    const { page, held } = tab
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('a[href="/item/3"]')!.dataset.replace = ''
    })
    await followLink(tab, 'Item 3', 'Item 3')
    held.release()
    await page.goForward()
    await untilHeading(tab, 'Form')
    t.equal(page.url(), `${origin}/form`)
    await page.goBack()
    await untilHeading(tab, 'Item 3')
    await takeAborted(tab)
  })
})

t.test('a page that refreshes its data', async (t) => {
  t.test('does not prevent a navigation to a document', async (t) => {
    const tab = await openAt(t, '/tools')
    const { page } = tab
    await page.route('**/healthz', async (route) => {
      await pause(1_500)
      await route.continue().catch(() => {})
    })
    await page.evaluate(() => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Refresh')!
      setInterval(() => button.click(), 200)
    })
    await follow(page, '/healthz')
    await page.waitForURL('**/healthz')
    await takeAborted(tab)
  })

  t.test('refreshes again if it is requested during a refresh', async (t) => {
    const { page, pathsOf } = await openAt(t, '/tools')
    const shown = Number(await page.locator('#served').innerText())
    const held = await hold(page, '/-/data/tools')
    await press(page, 'Refresh')
    await held.answered
    await press(page, 'Refresh')
    await press(page, 'Refresh')
    held.release()
    await until(page, (shown) => Number(document.querySelector('#served')?.textContent) >= shown + 2, shown)
    await pause()
    t.equal(pathsOf('fetch').length, 2)
  })

  t.test('completes the refresh although the visitor follows a link to a hash', async (t) => {
    const { page, pathsOf } = await openAt(t, '/tools')
    const shown = Number(await page.locator('#served').innerText())
    const held = await hold(page, '/-/data/tools')
    await press(page, 'Renew')
    await held.answered
    await follow(page, '#state')
    held.release()
    await until(page, (shown) => Number(document.querySelector('#served')?.textContent) > shown, shown)
    t.equal(page.url(), `${origin}/tools#state`)
    t.equal(pathsOf('fetch').filter((path) => path.startsWith('/-/data/')).length, 1)
  })

  t.test('compares its path in every spelling', async (t) => {
    const { page } = await openAt(t, '/tools?q=m%C3%B6we')
    const shown = Number(await page.locator('#served').innerText())
    await press(page, 'Renew möwe')
    await until(page, (shown) => Number(document.querySelector('#served')?.textContent) > shown, shown)
  })

  t.test('refreshes a page that is loading if the action names that page', async (t) => {
    const tab = await openAt(t, '/tools')
    const { page, pathsOf } = tab
    const post = await hold(page, '/tools', 'POST')
    await press(page, 'Renew item 1')
    await post.answered
    const data = await hold(page, '/-/data/item/1')
    await page.getByRole('link', { name: 'Item 1' }).click()
    await data.answered
    post.release()
    await pause()
    data.release()
    await untilHeading(tab, 'Item 1')
    await eventually(() => pathsOf('fetch').filter((path) => path === '/-/data/item/1').length === 2)
  })

  t.test('does not abort static data that a navigation waits for', async (t) => {
    const tab = await openAt(t, '/tools')
    const { page, pathsOf } = tab
    const held = await hold(page, '/-/data/static/a')
    await page.getByRole('link', { name: 'Static A' }).hover()
    await held.answered
    await page.getByRole('link', { name: 'Static A' }).click()
    await press(page, 'Renew')
    await eventually(() => tab.requests.some((request) => request.method() === 'POST'))
    await pause()
    held.release()
    await untilHeading(tab, 'Static a')
    t.same(pathsOf('document'), [])
  })
})

t.test('a navigation ends if another document takes the place of the page, which may be shown again', async (t) => {
  const tab = await openAt(t, '/short')
  const { page } = tab
  await follow(page, '/slow?ms=1000')
  await eventually(() => tab.pathsOf('fetch').length === 1)
  // The headless shell keeps no pages.
  await page.evaluate(() => {
    for (const type of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(type, { persisted: true }))
  })
  await pause(1_500)
  t.equal(page.url(), `${origin}/short`)
  t.equal(await page.locator('h1').innerText(), 'Short')
  t.ok(await page.locator('.shell-progress').isHidden())
  t.same(await takeAborted(tab), ['/-/data/slow?ms=1000'])
})

t.test('a download aborts no request', async (t) => {
  const tab = await openAt(t, '/tools')
  const { page } = tab
  await page.route('**/report.csv', (route) =>
    route.fulfill({ body: 'a,b', headers: { 'content-disposition': 'attachment', 'content-type': 'text/csv' } })
  )
  const download = page.waitForEvent('download')
  await follow(page, '/report.csv')
  await download
  await until(page, () => document.querySelector('#state')?.textContent?.trim() === 'idle')
  const held = await hold(page, '/healthz')
  const request = page.evaluate(() => fetch('/healthz').then(({ status }) => status))
  await held.answered
  await followLink(tab, 'Item 1', 'Item 1')
  held.release()
  t.equal(await request, 200)
  await takeAborted(tab)
})

t.test('a kept page is not shown after a form whose response the visitor did not wait for', async (t) => {
  const tab = await openAt(t, '/short')
  const { page, pathsOf } = tab
  await followLink(tab, 'Form', 'Form')
  const taken = Number(await page.locator('#taken').innerText())
  const held = await hold(page, '/form', 'POST')
  await page.getByLabel('Name').fill('Ada')
  await press(page, 'Send')
  await held.answered
  await followLink(tab, 'Item 1', 'Item 1')
  await page.goBack()
  await untilHeading(tab, 'Form')
  t.equal(Number(await page.locator('#taken').innerText()), taken + 1)
  t.ok(pathsOf('fetch').filter((path) => path === '/-/data/form').length > 1)
  held.release()
  await takeAborted(tab)
})

t.test('no data from before a form is shown if the visitor leaves without its response', async (t) => {
  for (const [how, leave] of [
    ['back', (page: Page) => page.goBack()],
    ['by a prefetched link', (page: Page) => page.getByRole('link', { name: 'Form', exact: true }).click()]
  ] as const)
    t.test(how, async (t) => {
      const tab = await openAt(t, '/form')
      const { page } = tab
      const taken = Number(await page.locator('#taken').innerText())
      await follow(page, '/form?again')
      await page.waitForURL('**/form?again')
      await prefetch(tab, '/form', () => page.getByRole('link', { name: 'Form', exact: true }).hover())
      const held = await hold(page, '/form', 'POST')
      await page.getByLabel('Name').fill('Ada')
      await page.getByLabel('Name').press('Enter')
      await held.answered
      await leave(page)
      await until(page, (taken) => document.querySelector('#taken')?.textContent === String(taken), taken + 1)
      t.equal(page.url(), `${origin}/form`)
      held.release()
      await takeAborted(tab)
    })
})

t.test('a fetcher that has saved the input navigates without a question', async (t) => {
  const tab = await openAt(t, '/draft')
  await tab.page.getByLabel('Name').fill('Ada')
  await press(tab.page, 'Keep by a fetcher')
  await untilHeading(tab, 'Item 1')
  t.same(await tab.take(), [])
})
