import t, { type Test } from 'tap'
import { ROUTE_LOAD_TIMEOUT } from '../../../../common/src/constants.ts'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { openMeddlingProxy } from '@hull/test-helpers/meddling-proxy.ts'
import { arrived, follow } from '@hull/test-helpers/navigation.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'
import { answer, type Behaviour } from '@hull/test-helpers/unruly-server.ts'

/*
 * Tests the time limit with a stopped clock: one millisecond before it the page is shown in place, one millisecond
 * after it a document is requested.
 */

const browser = await launchBrowser(t)
const { origin } = await createListeningApp(t, { site: await buildFixtureSite() })

/** A page with a stopped clock, and functions that hold back responses of the server. */
async function openPaused(t: Test) {
  const proxy = await openMeddlingProxy(t, origin)
  const tab = await openTab(t, browser, { origin: proxy.origin })
  t.teardown(() => tab.take())
  await tab.page.clock.install()
  await tab.open('/')
  await hydrated(tab.page)
  await tab.page.clock.pauseAt(Date.now() + 60_000)
  tab.requests.length = 0

  /** @param answered the response sent in the end @default the server's own response */
  function hold(path: string | RegExp, answered?: Behaviour) {
    const held: Array<() => void> = []
    proxy.meddle(path, (response, forward) => held.push(answered ? () => answered(response) : forward))
    return {
      /** Resolves when it has been requested. */
      asked: () => eventually(() => held.length > 0),
      letGo() {
        proxy.leaveAlone()
        for (const go of held) go()
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
  ['HTML of an address that this build does not know', '/nobody', '/nobody', '/nobody', 'Not found']
] as const) {
  t.test(`${name} that comes 3,799 ms after the click is shown in place`, async (t) => {
    const { page, hold, pathsOf } = await openPaused(t)
    const held = hold(late)
    await follow(page, path)
    await held.asked()
    await page.clock.runFor(3_799)
    held.letGo()
    await arrived(page, end, heading)
    t.same(pathsOf('document'), [])
  })

  t.test(`${name} that is not there 3,801 ms after the click is left for the document`, async (t) => {
    const { page, hold, leaveAlone, pathsOf } = await openPaused(t)
    const held = hold(late)
    await follow(page, path)
    await held.asked()
    leaveAlone()
    await page.clock.runFor(3_801)
    await arrived(page, end, heading)
    t.same(pathsOf('document'), [end])
  })
}

// If a script is late, the clicked address is opened, which as a document does not redirect here.
for (const [name, to, late, heading, opened, opens] of [
  ['the script of the page', '/about', /about-.*\.js$/, 'About', '/items/7', 'Item'],
  ['the HTML of the page', '/document', '/document', 'No script here', '/document', 'No script here']
] as const)
  for (const [ms, ending] of [
    [3_799, 'in place'],
    [3_801, 'by a document']
  ] as const)
    t.test(`where a redirect took 3,000 ms, ${name} it leads to is shown ${ending} after ${ms} ms`, async (t) => {
      const { page, hold, leaveAlone, pathsOf } = await openPaused(t)
      const redirect = hold(
        '/-/data/items/7',
        answer(200, { 'content-type': 'application/json' }, JSON.stringify({ redirect: to }))
      )
      const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
      await follow(page, '/items/7')
      await Promise.all([redirect.asked(), chunk])
      await page.clock.runFor(3_000)
      redirect.letGo()
      const next = hold(late)
      await next.asked()
      if (ms === 3_799) {
        await page.clock.runFor(799)
        next.letGo()
        await arrived(page, to, heading)
        t.same(pathsOf('document'), [])
      } else {
        leaveAlone()
        await page.clock.runFor(801)
        await arrived(page, opened, opens)
        t.same(pathsOf('document'), [opened])
      }
    })

t.test('a page whose data take longer is shown in place, where its script was there in time', async (t) => {
  const { page, hold, pathsOf } = await openPaused(t)
  const data = hold('/-/data/items/7')
  const chunk = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/_id_'))
  await follow(page, '/items/7')
  await Promise.all([data.asked(), chunk])
  await page.clock.runFor(9_000)
  data.letGo()
  await arrived(page, '/items/7', 'Item')
  t.same(pathsOf('document'), [])
})
