import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildSite } from '@hull/test-helpers/site.ts'
import { answer, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../fixtures/monitored'))
const service = await openUnrulyServer(t)
service.will(answer(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }, 'from afar'))
// No trace is recorded, unless a request wants it.
const { origin, provider, errors, reports, transactions, transaction } = await startMonitored(t, {
  TRACES_SAMPLE_RATE: '0',
  TRACE_TARGETS: service.origin
})

/** Paths of the scripts of monitoring. */
const SDK = /\/assets\/(open|recorded-traces)-[\w-]+\.js$/

/** A trace that a caller records. */
const RECORDED = { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1` }

t.beforeEach(() => {
  provider.seen.splice(0)
  service.seen.splice(0)
})

/** Opens a page whose trace is not recorded. */
async function openUnrecorded(t: Test, path = '/') {
  // The application's content security policy does not allow the service.
  const tab = await openTab(t, browser, { origin, bypassCSP: true })
  t.teardown(() => tab.take())
  await tab.open(path)
  await hydrated(tab.page)
  await monitored(tab.page)
  const content = await tab.page.locator('meta[name=sentry-trace]').getAttribute('content')
  return { ...tab, traceId: content!.slice(0, 32) }
}

const traceIdOf = (path: string) => {
  const { headers } = service.seen.find(({ url, method }) => url === path && method !== 'OPTIONS')!
  const [traceId, , sampled] = String(headers['sentry-trace']).split('-')
  t.equal(sampled, '0', path)
  t.match(headers, { traceparent: `00-${traceId}-`, baggage: `sentry-trace_id=${traceId}` }, path)
  return traceId
}

/** Waits until a failure in the page has been reported. @returns the id of its trace, and the name of its page */
async function fail({ page }: Pick<Awaited<ReturnType<typeof openUnrecorded>>, 'page'>, message: string) {
  await page.evaluate((text) => {
    setTimeout(() => {
      throw new Error(text)
    })
  }, message)
  const event = await eventually(() => errors().find(({ exception }) => exception?.values?.[0]?.value === message))
  return { traceId: event.contexts!.trace!.trace_id, name: event.transaction }
}

t.test('a document whose trace is not recorded loads the SDK without its part for traces', async (t) => {
  const { pathsOf } = await openUnrecorded(t)
  const [sdk, ...more] = pathsOf('script').filter((path) => SDK.test(path))
  t.same(more, [])
  const size = gzipSync(readFileSync(join(site.dist, 'client', sdk!)), { level: 9 }).length
  t.ok(size <= 30 * 1024, `${size} bytes`)
})

t.test('requests and errors of the document have its trace', async (t) => {
  const tab = await openUnrecorded(t)
  await tab.page.evaluate(async (to) => {
    await fetch(`${to}/fetch`)
    await fetch(new Request(`${to}/request`, { headers: { 'x-own': '1' } }))
    await new Promise((resolve) => {
      const request = new XMLHttpRequest()
      request.open('GET', `${to}/xhr`)
      request.addEventListener('loadend', resolve)
      request.send()
    })
  }, service.origin)
  for (const path of ['/fetch', '/request', '/xhr']) t.equal(traceIdOf(path), tab.traceId, path)
  t.match(
    service.seen.find(({ url, method }) => url === '/request' && method === 'GET'),
    { headers: { 'x-own': '1' } }
  )
  t.same(await fail(tab, 'in the document'), { traceId: tab.traceId, name: '/' })
})

t.test('headers of a request are kept, and others get none', async (t) => {
  const other = await openUnrulyServer(t)
  other.will(answer(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }))
  const { page } = await openUnrecorded(t)
  const long = `a=${'x'.repeat(8_000)}`
  await page.evaluate(
    async ({ target, stranger, baggage, trace }) => {
      await fetch(`${target}/full`, { headers: { baggage } })
      await fetch(`${target}/own`, { headers: trace })
      await fetch(`${stranger}/?${target}/`)
    },
    { target: service.origin, stranger: other.origin, baggage: long, trace: RECORDED }
  )
  const headersOf = (path: string) => service.seen.find(({ url, method }) => url === path && method === 'GET')!.headers
  const baggage = String(headersOf('/full').baggage)
  t.ok(baggage.startsWith('sentry-') && baggage.length <= 8_192, baggage.slice(0, 100))
  t.match(headersOf('/own'), RECORDED)
  t.ok(other.seen.length > 0)
  t.notMatch(JSON.stringify(other.seen.map(({ headers }) => headers)), /sentry-|traceparent|baggage/)
})

t.test('a navigation begins a trace, and continues that of the prefetch which it uses', async (t) => {
  const tab = await openUnrecorded(t)
  const { page } = tab
  await page.context().addCookies([{ name: 'upstream', value: encodeURIComponent(service.origin), url: origin }])
  await page.getByRole('button', { name: 'prefetch' }).click()
  await eventually(() => service.seen.some(({ url }) => url === '/read'))
  const prefetched = traceIdOf('/read')
  t.not(prefetched, tab.traceId)
  t.equal((await fail(tab, 'after the prefetch')).traceId, tab.traceId)
  const follow = (href: string) =>
    page.evaluate((to) => {
      const link = Object.assign(document.createElement('a'), { href: to })
      link.dataset.prefetch = 'none'
      document.body.append(link)
      link.click()
    }, href)
  await follow('/taken/8')
  await page.getByText('from afar').waitFor()
  t.same(await fail(tab, 'on the prefetched page'), { traceId: prefetched, name: '/taken/[id]' })
  await follow(`/traced/7?from=${service.origin}/click`)
  await eventually(() => service.seen.some(({ url }) => url === '/click'))
  await page.waitForURL(({ pathname }) => pathname === '/traced/7')
  const navigation = traceIdOf('/click')
  t.notOk([tab.traceId, prefetched].includes(navigation))
  t.same(await fail(tab, 'on the next page'), { traceId: navigation, name: '/traced/[id]' })
  await page.goto('about:blank')
  const dropped = await eventually(() =>
    reports()
      .flatMap((report) => report.discarded_events)
      .find(({ reason, category }) => reason === 'sample_rate' && category === 'transaction')
  )
  t.equal(dropped.quantity, 3, 'the page load, the prefetch and a navigation')
  t.same(transactions(), [])
})

t.test('navigations of a recorded document are recorded', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  await page.route(`${origin}/`, (route) => route.continue({ headers: { ...route.request().headers(), ...RECORDED } }))
  await open('/')
  await hydrated(page)
  await monitored(page)
  t.equal(pathsOf('script').filter((path) => SDK.test(path)).length, 2)
  await transaction('pageload', '/')
  await page.getByRole('link', { name: 'cached' }).click()
  await transaction('navigation', '/cached')
})

t.test('a document whose part for traces cannot be loaded reports errors', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  t.teardown(() => take())
  await page.route(`${origin}/`, (route) => route.continue({ headers: { ...route.request().headers(), ...RECORDED } }))
  await page.route('**/assets/recorded-traces-*.js', (route) => route.abort())
  await open('/')
  await hydrated(page)
  await monitored(page)
  t.equal((await fail({ page }, 'without traces')).traceId, 'a'.repeat(32))
})
