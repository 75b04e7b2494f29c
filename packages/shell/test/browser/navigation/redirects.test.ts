import type { Request } from 'playwright'
import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab, type Tab } from '@hull/test-helpers/browser.ts'
import { answer } from '@hull/test-helpers/unruly-server.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { untilArrived, follow, readSettledPage } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildFixtureSite, buildSite } from '@hull/test-helpers/site.ts'

const site = await buildFixtureSite()
const browser = await launchBrowser(t)
const { origin, logs } = await createListeningApp(t, { site })
const proxy = await openMeddlingProxy(t, origin)

/** Opens a path as a document, and then in another tab by a navigation. */
async function bothWays(t: Test, path: string, check: (tab: Tab, way: string) => Promise<void>) {
  for (const way of ['document', 'navigation']) {
    const tab = await openTab(t, browser, { origin: proxy.origin })
    await tab.open('/')
    await hydrated(tab.page)
    tab.requests.length = 0
    if (way === 'navigation') await follow(tab.page, path)
    else await tab.page.goto(path).catch(() => {})
    await check(tab, way)
  }
}

t.test('a redirect', async (t) => {
  t.test('to another origin is followed with `external`', async (t) => {
    for (const where of ['guard', 'data', 'component']) {
      await bothWays(t, `/outcome/${where}/external`, async ({ page, requests, take }) => {
        const find = () => requests.find((request) => request.url() === 'https://other.example/path')
        t.equal((await eventually(find)).isNavigationRequest(), true)
        t.notMatch((await take()).join('\n'), /uncaught|policy/)
        // There is no server with this name.
        await page.close()
        await take()
      })
    }
  })

  t.test('of a page to itself is an error with a digest', async (t) => {
    await bothWays(t, '/loop', async ({ page, seen, pathsOf }, way) => {
      await untilArrived(page, '/loop', 'Application error')
      t.equal(await page.locator('.digest').innerText(), `Digest: ${logs.takeErrors()[0]?.digest}`)
      t.equal(pathsOf('document').length, way === 'document' ? 1 : 0)
      seen(500)
    })
  })

  t.test('of a late part to its own page is an error too', async (t) => {
    await bothWays(t, '/stream?late=itself', async ({ page, take, pathsOf }, way) => {
      await untilArrived(page, '/stream?late=itself', 'Application error')
      t.equal(await page.title(), 'Application error')
      t.equal(pathsOf(way === 'document' ? 'document' : 'fetch').length, 1)
      const problems = (await take()).filter((line) => !line.includes('net::ERR_ABORTED'))
      t.match(problems, [/^console: APP_REDIRECT_LOOP/])
    })
  })

  t.test('of two documents to each other ends in the error page of the browser', async (t) => {
    const { page, requests, take } = await openTab(t, browser, { origin: proxy.origin })
    await page.goto('/loop-of-two/a').catch(() => {})
    const isLoop = (request: Request) => request.failure()?.errorText === 'net::ERR_TOO_MANY_REDIRECTS'
    t.equal((await eventually(() => requests.find(isLoop))).isNavigationRequest(), true)
    await page.close()
    await take()
  })
})

t.test('a redirect with `replace` also replaces the history entry if it leads to another origin', async (t) => {
  const elsewhere = await openMeddlingProxy(t, origin)
  const { origin: here } = await createListeningApp(t, {
    site: await buildSite(
      t.testdir({
        layouts: {},
        pages: {
          'index.tsx': `export const layout = null\nexport default () => <h1>Home</h1>`,
          'second.tsx': `export const layout = null\nexport default () => <h1>Second</h1>`,
          'leave.tsx': `import { redirect } from '@hull/shell/client'
            export const layout = null
            export const guard = ({ search }) => redirect(search.get('to'), { external: true, replace: true })
            export default () => null`
        }
      })
    )
  })
  const { page, open } = await openTab(t, browser, { origin: here })
  await open('/')
  await hydrated(page)
  await follow(page, '/second')
  await untilArrived(page, '/second', 'Second')
  await follow(page, `/leave?to=${elsewhere.origin}/about`)
  await page.waitForURL(`${elsewhere.origin}/about`)
  await hydrated(page)
  await page.goBack()
  await untilArrived(page, '/', 'Home')
})

t.test('an unsafe redirect in page data is not followed:', async (t) => {
  for (const to of ['javascript:alert(1)', '//evil.example/path', 'data:text/html,evil', '/\\evil.example', '', 7]) {
    t.test(JSON.stringify(to), async (t) => {
      const { page, open, pathsOf, requests, take } = await openTab(t, browser, { origin: proxy.origin })
      await open('/')
      await hydrated(page)
      const json = { 'content-type': 'application/json' }
      proxy.meddle('/-/data/items/7', answer(200, json, JSON.stringify({ redirect: to })), 1)
      await follow(page, '/items/7')
      await untilArrived(page, '/items/7', 'Item')
      await readSettledPage(page)
      t.same(pathsOf('document'), ['/', '/items/7'], 'the browser loads the document of the clicked link')
      t.same(
        requests.filter((request) => !request.url().startsWith(proxy.origin)),
        []
      )
      t.same(await take(), [])
    })
  }
})
