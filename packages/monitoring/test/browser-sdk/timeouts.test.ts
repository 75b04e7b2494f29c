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

/* Tests the SDK's timeouts in a page whose clock is stopped, and moved only by the test. */

const browser = await launchBrowser(t)
const { origin, provider, transactions } = await startMonitored(t)

const ended = () => transactions().filter(({ contexts }) => contexts?.trace?.op === 'navigation')

/** Waits until sent envelopes have arrived. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300))

t.beforeEach(() => {
  provider.seen.splice(0)
})

/** Opens a monitored page with a stopped clock. */
async function openPaused(t: Test) {
  const tab = await openTab(t, browser, { origin })
  const { page } = tab
  t.teardown(() => tab.take())
  await page.clock.install()
  await page.route('**/held/*', () => {})
  await tab.open('/')
  await hydrated(page)
  await monitored(page)
  // The transaction of the page load has ended by then.
  await page.clock.pauseAt(Date.now() + 60_000)
  return tab
}

/** Starts a navigation whose page data is delayed until the returned function is called. */
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
  const requested = page.waitForRequest('**/-/data/taken/8')
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/taken/8', textContent: 'there' })
    link.dataset.prefetch = 'none'
    document.body.append(link)
    link.click()
  })
  await requested
  // The scripts of the page are not delayed, and must be loaded before the clock moves.
  do await settled()
  while (loading.size > 0)
  return async () => {
    resolve()
    await page.getByRole('heading', { name: 'Taken' }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

/** Starts a request without a response, whose child span stays open. */
async function openChild(page: Page, n: number) {
  const requested = page.waitForRequest(`**/held/${n}`)
  await page.evaluate((path) => void fetch(path).catch(() => {}), `/held/${n}`)
  await requested
}

/**
 * Asserts that a transaction ends after `ms`, and not a millisecond earlier. `reason` is the finish reason of the SDK.
 */
async function endsAfter(t: Test, page: Page, ms: number, reason: string) {
  await page.clock.runFor(ms - 1)
  await settled()
  t.equal(ended().length, 0, 'the transaction has not ended a millisecond earlier')
  await page.clock.runFor(1)
  const [transaction] = await eventually(() => ended().length > 0 && ended())
  t.equal(transaction!.contexts!.trace!.data!['sentry.idle_span_finish_reason'], reason)
  return transaction!
}

t.test('the span of a navigation', async (t) => {
  t.test('ends 1 s after its last child', async (t) => {
    const { page } = await openPaused(t)
    const release = await navigate(page)
    await page.clock.runFor(5_000)
    await release()
    await endsAfter(t, page, IDLE_TIMEOUT, 'idleTimeout')
    t.equal(IDLE_TIMEOUT, 1_000)
  })

  t.test('ends after 15 s if a child span is still open', async (t) => {
    const { page } = await openPaused(t)
    await navigate(page)
    const { spans } = await endsAfter(t, page, CHILD_SPAN_TIMEOUT, 'heartbeatFailed')
    t.ok(spans.some(({ op }) => op === 'ui.navigation'))
    t.equal(CHILD_SPAN_TIMEOUT, 15_000)
  })

  t.test('ends after 30 s, even if new child spans are opened', async (t) => {
    const { page, take } = await openPaused(t)
    await navigate(page)
    for (const n of [1, 2]) {
      await page.clock.runFor(10_000)
      await openChild(page, n)
    }
    await endsAfter(t, page, FINAL_TIMEOUT - 20_000, 'finalTimeout')
    t.equal(FINAL_TIMEOUT, 30_000)
    // The shell's own timeout expires at the same moment, and the shell loads a document instead.
    await page.getByRole('heading', { name: 'Taken' }).waitFor()
    await take()
  })
})

t.test('a trace is linked to the previous trace for an hour, and not in the 61st minute', async (t) => {
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
  // The clock has moved by two seconds since the start of the previous trace.
  await page.clock.fastForward(PREVIOUS_TRACE_MAX_AGE - 2 * IDLE_TIMEOUT - 1_000)
  const second = await begin('/')
  t.match(second.links, [{ trace_id: first.trace_id }])
  await page.clock.fastForward(PREVIOUS_TRACE_MAX_AGE - 2 * IDLE_TIMEOUT + 1_000)
  t.same((await begin('/cached')).links ?? [], [])
})

t.test('the SDK sends no errors for 60 s after a 429 without Retry-After', async (t) => {
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
