import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { MAX_PROPAGATION_LENGTH, MAX_STACK_FRAMES, MAX_TRANSACTION_SPANS } from '../../../common/src/constants.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

/*
 * Tests each limit at its value and one above, with Hull's configuration of the browser's SDK. A new version of the SDK
 * with another limit fails these tests.
 */

const browser = await launchBrowser(t)
const service = await openUnrulyServer(t)
service.will(answer(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }))
const { origin, provider, errors, transactions, reports } = await startMonitored(t, { TRACE_TARGETS: service.origin })

t.beforeEach(() => {
  provider.seen.splice(0)
  service.seen.splice(0)
})

async function openHome(test: Test, prepare?: (page: Page) => Promise<unknown>) {
  const tab = await openTab(test, browser, { origin, bypassCSP: true })
  await prepare?.(tab.page)
  test.teardown(() => tab.take())
  await tab.open('/')
  await hydrated(tab.page)
  await monitored(tab.page)
  return tab
}

t.test('a stack keeps the 50 innermost frames', async (t) => {
  const { page, take } = await openHome(t)
  t.equal(await page.evaluate(() => Error.stackTraceLimit), MAX_STACK_FRAMES, 'the browser records as many frames')
  for (const count of [MAX_STACK_FRAMES, MAX_STACK_FRAMES + 1]) {
    await page.evaluate((frames) => {
      const error = new Error(`${frames} frames`)
      const lines = Array.from({ length: frames }, (_, i) => `    at f${i} (${location.origin}/a.js:${i + 1}:1)`)
      error.stack = [`Error: ${error.message}`, ...lines].join('\n')
      reportError(error)
    }, count)
    const event = await eventually(() =>
      errors().find(({ exception }) => exception?.values?.[0]?.value === `${count} frames`)
    )
    const frames = event.exception!.values![0]!.stacktrace!.frames!.map((frame) => frame.function)
    t.equal(frames.length, 50)
    t.same([frames[0], frames.at(-1)], ['f49', 'f0'], 'the oldest frame is first')
  }
  await take()
})

t.test('a baggage header has at most 8192 characters', async (t) => {
  const { page } = await openHome(t)

  /** Sends a request from the page. @returns the `baggage` header that the service received */
  async function send(by: 'fetch' | 'xhr', baggage?: string): Promise<string> {
    service.seen.splice(0)
    await page.evaluate(request, { url: `${service.origin}/${by}`, by, baggage })
    return String(service.seen.find(({ method }) => method === 'GET')!.headers.baggage)
  }
  const own = await send('fetch')
  t.match(own, /^sentry-/)

  t.test("a fetch drops another tool's member if the header would have 8193 characters", async (t) => {
    const member = `a=${'x'.repeat(MAX_PROPAGATION_LENGTH - own.length - ',a='.length)}`
    const full = await send('fetch', member)
    t.equal(full.length, 8_192)
    t.equal(full, `${own},${member}`)
    t.equal(await send('fetch', `${member}x`), own)
  })

  t.test("an XMLHttpRequest, whose headers cannot be removed, drops the SDK's last member", async (t) => {
    const members = own.split(',')
    const added = members.map((text) => `, ${text}`).join('')
    const member = `a=${'x'.repeat(MAX_PROPAGATION_LENGTH - added.length - 'a='.length)}`
    const full = await send('xhr', member)
    t.equal(full.length, 8_192)
    t.equal(full, member + added)
    const above = await send('xhr', `${member}x`)
    t.equal(above.split(', ').length, members.length, 'one whole member is missing')
    t.ok(above.startsWith(`${member}x, sentry-`))
  })
})

function request({
  url,
  by,
  baggage
}: {
  url: string
  by: 'fetch' | 'xhr'
  baggage: string | undefined
}): Promise<unknown> {
  const headers: Record<string, string> = baggage === undefined ? {} : { baggage }
  if (by === 'fetch') return fetch(url, { headers }).then((response) => response.text())
  return new Promise((resolve) => {
    const xhr = new XMLHttpRequest()
    xhr.open('GET', url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.addEventListener('loadend', resolve)
    xhr.send()
  })
}

t.test('a transaction keeps 1000 spans, and the 1001st is counted as dropped', async (t) => {
  const { page } = await openHome(t, (page) => page.addInitScript(hideLongTasks))
  await navigate(page, '/cached', 0)
  await navigate(page, '/', 0)
  const { spans } = await navigate(page, '/cached', 0)
  await navigate(page, '/', 0)
  const room = MAX_TRANSACTION_SPANS - spans.length
  const full = await navigate(page, '/cached', room)
  t.equal(full.spans.length, 1_000)
  await navigate(page, '/', 0)
  const above = await navigate(page, '/cached', room + 1)
  t.equal(above.spans.length, 1_000)
  await page.goto('about:blank')
  const dropped = await eventually(() => {
    const found = reports().flatMap((report) => report.discarded_events)
    return found.length > 0 && found
  })
  t.same(dropped, [{ reason: 'buffer_overflow', category: 'span', quantity: 1 }])
})

/** Hides long tasks from the SDK, which would add a span for each long task of a busy machine. */
function hideLongTasks() {
  const types = PerformanceObserver.supportedEntryTypes.filter((type) => !type.startsWith('long'))
  Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { value: types })
}

/** Navigates to a page while a number of requests are in progress, each with a span. */
async function navigate(page: Page, path: string, requests: number) {
  provider.seen.splice(0)
  await page.evaluate(
    ({ to, count }) => {
      const link = Object.assign(document.createElement('a'), { href: to, textContent: 'there' })
      link.dataset.prefetch = 'none'
      document.body.append(link)
      link.click()
      link.remove()
      for (let i = 0; i < count; i++) void fetch('data:,')
    },
    { to: path, count: requests }
  )
  return eventually(() =>
    transactions().find(({ contexts, transaction }) => contexts?.trace?.op === 'navigation' && transaction === path)
  )
}
