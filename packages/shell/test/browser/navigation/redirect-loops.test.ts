import t from 'tap'
import { failed, startBreaking } from '@hull/test-helpers/breaking.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { follow } from '@hull/test-helpers/navigation.ts'

const browser = await launchBrowser(t)
const { origin } = await startBreaking(t)

t.test('a loop ends in the error page after ten redirects:', async (t) => {
  const other = await openMeddlingProxy(t, origin)
  for (const by of ['render', 'url', 'effect', 'layout-effect', 'never-the-same', 'other-origin', 'itself'])
    for (const way of ['document', 'navigation'])
      t.test(`by ${by}, begun by ${way}`, async (t) => {
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
        // A loop through another origin is counted separately on each origin.
        const most = by === 'itself' ? 1 : by === 'other-origin' ? 22 : 11
        const asked = countPages()
        t.ok(asked <= most, `${asked} requests`)
        await page.waitForTimeout(300)
        t.equal(countPages(), asked, 'and it is the end')
        t.equal(await page.getByRole('button', { name: 'alive' }).count(), 1)
        const told = (await take()).filter((line) => line.startsWith('console') || line.startsWith('uncaught'))
        t.match(told, [/^console: APP_REDIRECT_LOOP: /])
        t.equal(told.length, 1)

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

t.test('pages whose data redirect to each other end in the error page of a navigation', async (t) => {
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

t.test("a visitor's own navigations are no loop, however fast", async (t) => {
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

t.test('a redirect that a page makes after it stood for a while begins a chain of its own', async (t) => {
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
