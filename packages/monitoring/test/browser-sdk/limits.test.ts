import type { Page } from 'playwright'
import t, { type Test } from 'tap'
import { MAX_PROPAGATION_LENGTH, MAX_STACK_FRAMES, MAX_TRANSACTION_SPANS } from '../../../common/src/constants.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

/*
 * Tests each limit at its value and one above, with the browser's SDK as Hull sets it up. A new version of the SDK with
 * another limit fails here.
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

t.test('a stack keeps 50 frames, the innermost', async (t) => {
  const { page, take } = await openHome(t)
  t.equal(await page.evaluate(() => Error.stackTraceLimit), MAX_STACK_FRAMES, 'as many are recorded')
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
    t.same([frames[0], frames.at(-1)], ['f49', 'f0'], 'oldest first')
  }
  await take()
})

t.test('a baggage header has 8192 characters at most', async (t) => {
  const { page } = await openHome(t)

  /** The received part of the page's `baggage` header. */
  async function send(by: 'fetch' | 'xhr', baggage?: string): Promise<string> {
    service.seen.splice(0)
    await page.evaluate(ask, { url: `${service.origin}/${by}`, by, baggage })
    return String(service.seen.find(({ method }) => method === 'GET')!.headers.baggage)
  }
  const own = await send('fetch')
  t.match(own, /^sentry-/)

  t.test('of a fetch: at the 8193rd the member goes that is not ours', async (t) => {
    const member = `a=${'x'.repeat(MAX_PROPAGATION_LENGTH - own.length - ',a='.length)}`
    const full = await send('fetch', member)
    t.equal(full.length, 8_192)
    t.equal(full, `${own},${member}`)
    t.equal(await send('fetch', `${member}x`), own)
  })

  t.test('of an XMLHttpRequest, which takes nothing back: the last of ours', async (t) => {
    const members = own.split(',')
    const added = members.map((text) => `, ${text}`).join('')
    const member = `a=${'x'.repeat(MAX_PROPAGATION_LENGTH - added.length - 'a='.length)}`
    const full = await send('xhr', member)
    t.equal(full.length, 8_192)
    t.equal(full, member + added)
    const past = await send('xhr', `${member}x`)
    t.equal(past.split(', ').length, members.length, 'one of them is missing, whole')
    t.ok(past.startsWith(`${member}x, sentry-`))
  })
})

function ask({
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
    const request = new XMLHttpRequest()
    request.open('GET', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.addEventListener('loadend', resolve)
    request.send()
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
  const past = await navigate(page, '/cached', room + 1)
  t.equal(past.spans.length, 1_000)
  await page.goto('about:blank')
  const dropped = await eventually(() => {
    const found = reports().flatMap((report) => report.discarded_events)
    return found.length > 0 && found
  })
  t.same(dropped, [{ reason: 'buffer_overflow', category: 'span', quantity: 1 }])
})

/** A browser on a busy machine has long tasks, and the SDK adds a span for each of them. */
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
