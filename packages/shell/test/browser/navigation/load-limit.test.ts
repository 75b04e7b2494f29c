import t, { type Test } from 'tap'
import { ROUTE_LOAD_TIMEOUT } from '../../../../common/src/constants.ts'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { untilArrived, follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { answer, type Behaviour } from '@hull/test-helpers/unruly-server.ts'

/*
 * Tests the timeout with a paused clock: one millisecond before it the page is shown without a document, one
 * millisecond after it a document is requested.
 */

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })

/** Opens a page with a paused clock. `hold` delays responses of the server. */
async function openPaused(t: Test) {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openTab(t, browser, { origin: proxy.origin })
  t.teardown(() => tab.take())
  await tab.page.clock.install()
  await tab.open('/')
  await hydrated(tab.page)
  await tab.page.clock.pauseAt(Date.now() + 60_000)
  tab.requests.length = 0

  /** @param answered sends the delayed response @default the server's own response */
  function hold(path: string | RegExp, answered?: Behaviour) {
    const held: Array<() => void> = []
    proxy.meddle(path, (response, forward) => held.push(answered ? () => answered(response) : forward))
    return {
      /** Resolves when the path has been requested. */
      requested: () => eventually(() => held.length > 0),
      release() {
        proxy.leaveAlone()
        for (const respond of held) respond()
      }
    }
  }
  return { ...tab, hold, leaveAlone: () => proxy.leaveAlone() }
}

t.equal(ROUTE_LOAD_TIMEOUT, 3_800)

for (const [name, path, late, end, heading] of [
  ['script', '/styled', /styled-.*\.js$/, '/styled', 'Styled'],
  ['stylesheet', '/styled', /styled-.*\.css$/, '/styled', 'Styled'],
  ['HTML of a page without script', '/document', '/document', '/document', 'No script here'],
  ['HTML of a path without a page in this build', '/nobody', '/nobody', '/nobody', 'Not found']
] as const) {
  t.test(`${name}, received 3,799 ms after the click, is shown without a document`, async (t) => {
    const { page, hold, pathsOf } = await openPaused(t)
    const held = hold(late)
    await follow(page, path)
    await held.requested()
    await page.clock.runFor(3_799)
    held.release()
    await untilArrived(page, end, heading)
    t.same(pathsOf('document'), [])
  })

  t.test(`${name}, missing 3,801 ms after the click, is replaced by a document`, async (t) => {
    const { page, hold, leaveAlone, pathsOf } = await openPaused(t)
    const held = hold(late)
    await follow(page, path)
    await held.requested()
    leaveAlone()
    await page.clock.runFor(3_801)
    await untilArrived(page, end, heading)
    t.same(pathsOf('document'), [end])
  })
}

// If a script is late, the browser opens the clicked URL, which as a document does not redirect in this test.
for (const [name, to, late, heading, opened, opens] of [
  ['the script of the page', '/about', /about-.*\.js$/, 'About', '/items/7', 'Item'],
  ['the HTML of the page', '/document', '/document', 'No script here', '/document', 'No script here']
] as const)
  for (const [ms, ending] of [
    [3_799, 'without a document'],
    [3_801, 'as a document']
  ] as const)
    t.test(`after a redirect of 3,000 ms, ${name} that it leads to is shown ${ending} after ${ms} ms`, async (t) => {
      const { page, hold, leaveAlone, pathsOf } = await openPaused(t)
      const redirect = hold(
        '/-/data/items/7',
        answer(200, { 'content-type': 'application/json' }, JSON.stringify({ redirect: to }))
      )
      const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
      await follow(page, '/items/7')
      await Promise.all([redirect.requested(), chunk])
      await page.clock.runFor(3_000)
      redirect.release()
      const next = hold(late)
      await next.requested()
      if (ms === 3_799) {
        await page.clock.runFor(799)
        next.release()
        await untilArrived(page, to, heading)
        t.same(pathsOf('document'), [])
      } else {
        leaveAlone()
        await page.clock.runFor(801)
        await untilArrived(page, opened, opens)
        t.same(pathsOf('document'), [opened])
      }
    })

t.test('a page whose data takes longer is shown without a document, if its script is loaded in time', async (t) => {
  const { page, hold, pathsOf } = await openPaused(t)
  const data = hold('/-/data/items/7')
  const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
  await follow(page, '/items/7')
  await Promise.all([data.requested(), chunk])
  await page.clock.runFor(9_000)
  data.release()
  await untilArrived(page, '/items/7', 'Item')
  t.same(pathsOf('document'), [])
})
