import t from 'tap'
import { failed, startBreaking } from '@hull/test-helpers/breaking.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { origin } = await startBreaking(t)

t.test('a redirect loop ends in the error page after ten redirects:', async (t) => {
  const other = await openMeddlingProxy(t, origin)
  for (const by of ['render', 'url', 'effect', 'layout-effect', 'never-the-same', 'other-origin', 'itself'])
    for (const way of ['document', 'navigation'])
      t.test(`by ${by}, started by a ${way}`, async (t) => {
        const { page, open, take, requests } = await openTab(t, browser, { origin })
        const path = `/ring/a?by=${by}${by === 'other-origin' ? `&at=${other.origin}` : ''}`
        if (way === 'document') await page.goto(path).catch(() => {})
        else {
          await open('/')
          await hydrated(page)
          requests.length = 0
          await follow(page, path)
        }
        await failed(page)
        const countPages = () => requests.filter((request) => new URL(request.url()).pathname.includes('/ring/')).length
        // Each origin counts the redirects of a loop through two origins separately.
        const most = by === 'itself' ? 1 : by === 'other-origin' ? 22 : 11
        const requested = countPages()
        t.ok(requested <= most, `${requested} requests`)
        await page.waitForTimeout(300)
        t.equal(countPages(), requested, 'the loop has ended')
        t.equal(await page.getByRole('button', { name: 'alive' }).count(), 1)
        const problems = (await take()).filter((line) => line.startsWith('console') || line.startsWith('uncaught'))
        t.match(problems, [/^console: APP_REDIRECT_LOOP: /])
        t.equal(problems.length, 1)

        // A reload starts a new chain of redirects.
        if (by !== 'render') return
        requests.length = 0
        await page.reload().catch(() => {})
        await until(page, () => performance.getEntriesByType('navigation').length > 0)
        await failed(page)
        t.ok(countPages() > 2)
        await take()
      })
})

t.test('page data that redirects in a loop ends in the error page of a navigation', async (t) => {
  const { page, open, take, pathsOf } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await follow(page, '/server-ring/a')
  await failed(page)
  t.equal(new URL(page.url()).pathname, '/server-ring/a')
  t.equal(pathsOf('fetch').length, 11)
  t.same(pathsOf('document'), ['/'])
  t.match(await take(), [/^console: APP_REDIRECT_LOOP: /])
  await page.goBack()
  await page.getByRole('heading', { name: 'Home' }).waitFor()
})

t.test('fast navigations of a visitor are not a redirect loop', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await page.getByRole('button', { name: 'go' }).click()
  for (let id = 1; id < 25; id++) {
    await page.getByRole('heading', { name: `Page ${id}`, exact: true }).waitFor()
    await page.getByRole('button', { name: 'next' }).click()
  }
  await page.getByRole('heading', { name: 'Page 25' }).waitFor()
  for (let id = 24; id > 0; id--) {
    await page.goBack()
    await page.getByRole('heading', { name: `Page ${id}`, exact: true }).waitFor()
  }
})

t.test('a redirect of a page that has been shown for a second starts a new chain', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  await page.clock.install()
  await open('/')
  await hydrated(page)
  for (let i = 0; i < 12; i++) {
    await follow(page, '/thrown/effect/home')
    await page.waitForURL('**/thrown/effect/home')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.clock.fastForward(1_000)
  }
  t.same(
    (await take()).filter((line) => !line.includes('net::ERR_ABORTED')),
    []
  )
})
