import type { Page, Request } from 'playwright'
import t, { type Test } from 'tap'
import {
  CHILD_SPAN_TIMEOUT,
  FINAL_TIMEOUT,
  IDLE_TIMEOUT,
  PREVIOUS_TRACE_MAX_AGE,
  RATE_LIMIT_DELAY
} from '../../../common/src/constants.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

/* Tests the SDK's timeouts in a page whose clock only moves when the test moves it. */

const browser = await launchBrowser(t)
const { origin, provider, transactions } = await startMonitored(t)

const ended = () => transactions().filter(({ contexts }) => contexts?.trace?.op === 'navigation')

/** Milliseconds to wait for sent envelopes. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300))

t.beforeEach(() => {
  provider.seen.splice(0)
})

/** A page that reports, with a stopped clock. */
async function openPaused(t: Test) {
  const tab = await openTab(t, browser, { origin })
  const { page } = tab
  t.teardown(() => tab.take())
  await page.clock.install()
  await page.route('**/held/*', () => {})
  await tab.open('/')
  await hydrated(page)
  await monitored(page)
  // By then the page load has ended.
  await page.clock.pauseAt(Date.now() + 60_000)
  return tab
}

/** Starts a navigation whose page is held back until the returned function is called. */
async function navigate(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/-/data/taken/8', async (route) => {
    await promise
    await route.continue()
  })
  const loading = new Set<Request>()
  page.on('request', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) loading.add(request)
  })
  page.on('requestfinished', (request) => loading.delete(request))
  const asked = page.waitForRequest('**/-/data/taken/8')
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/taken/8', textContent: 'there' })
    link.dataset.prefetch = 'none'
    document.body.append(link)
    link.click()
  })
  await asked
  // Its script is not held back, and must not be late by the page's clock.
  do await settled()
  while (loading.size > 0)
  return async () => {
    resolve()
    await page.getByRole('heading', { name: 'Taken' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

/** A child span that stays open. */
async function openChild(page: Page, n: number) {
  const asked = page.waitForRequest(`**/held/${n}`)
  await page.evaluate((path) => void fetch(path).catch(() => {}), `/held/${n}`)
  await asked
}

/** Expects nothing one millisecond earlier, and then a transaction. `reason` is the SDK's own word. */
async function endsAfter(t: Test, page: Page, ms: number, reason: string) {
  await page.clock.runFor(ms - 1)
  await settled()
  t.equal(ended().length, 0, 'not a millisecond before')
  await page.clock.runFor(1)
  const [transaction] = await eventually(() => ended().length > 0 && ended())
  t.equal(transaction!.contexts!.trace!.data!['sentry.idle_span_finish_reason'], reason)
  return transaction!
}

t.test('the span of a navigation', async (t) => {
  t.test('ends 1 s after its last child', async (t) => {
    const { page } = await openPaused(t)
    const letGo = await navigate(page)
    await page.clock.runFor(5_000)
    await letGo()
    await endsAfter(t, page, IDLE_TIMEOUT, 'idleTimeout')
    t.equal(IDLE_TIMEOUT, 1_000)
  })

  t.test('does not wait for a child of more than 15 s', async (t) => {
    const { page } = await openPaused(t)
    await navigate(page)
    const { spans } = await endsAfter(t, page, CHILD_SPAN_TIMEOUT, 'heartbeatFailed')
    t.ok(spans.some(({ op }) => op === 'ui.navigation'))
    t.equal(CHILD_SPAN_TIMEOUT, 15_000)
  })

  t.test('ends after 30 s, whatever its children do', async (t) => {
    const { page, take } = await openPaused(t)
    await navigate(page)
    for (const n of [1, 2]) {
      await page.clock.runFor(10_000)
      await openChild(page, n)
    }
    await endsAfter(t, page, FINAL_TIMEOUT - 20_000, 'finalTimeout')
    t.equal(FINAL_TIMEOUT, 30_000)
    // The shell's own timeout ends at the same moment, and loads a document instead of the page.
    await page.getByRole('heading', { name: 'Taken' }).waitFor()
    await take()
  })
})

t.test('a trace is linked to the one before for an hour, and not in the 61st minute', async (t) => {
  t.equal(PREVIOUS_TRACE_MAX_AGE, 3_600_000)
  const { page } = await openPaused(t)
  async function begin(path: string) {
    provider.seen.splice(0)
    await page.evaluate((to) => {
      const link = Object.assign(document.createElement('a'), { href: to, textContent: 'there' })
      link.dataset.prefetch = 'none'
      document.body.append(link)
      link.click()
    }, path)
    await page.getByRole('heading', { name: path === '/' ? 'Home' : 'Cached' }).waitFor()
    await page.clock.runFor(2 * IDLE_TIMEOUT)
    const [navigation] = await eventually(() => ended().length > 0 && ended())
    return navigation!.contexts!.trace!
  }
  const first = await begin('/cached')
  // The clock has moved two seconds since each began.
  await page.clock.fastForward(PREVIOUS_TRACE_MAX_AGE - 2 * IDLE_TIMEOUT - 1_000)
  const second = await begin('/')
  t.match(second.links, [{ trace_id: first.trace_id }])
  await page.clock.fastForward(PREVIOUS_TRACE_MAX_AGE - 2 * IDLE_TIMEOUT + 1_000)
  t.same((await begin('/cached')).links ?? [], [])
})

t.test('a provider that answers 429 and no more is left alone for 60 s', async (t) => {
  const { page } = await openPaused(t)
  const posted: string[] = []
  await page.route('**/monitoring', async (route) => {
    posted.push(route.request().postData() ?? '')
    await route.fulfill({ status: posted.length === 1 ? 429 : 200, body: '{}' })
  })
  async function report(message: string) {
    await page.evaluate((text) => {
      reportError(new Error(text))
    }, message)
    await settled()
    return posted.filter((body) => body.includes('"type":"event"')).length
  }
  t.equal(await report('limited'), 1)
  await page.clock.runFor(RATE_LIMIT_DELAY - 1)
  t.equal(await report('a millisecond early'), 1)
  await page.clock.runFor(1)
  t.equal(await report('in time'), 2)
  t.match(posted.at(-1), 'in time')
})
