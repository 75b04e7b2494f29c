import t, { type Test } from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored, type Transaction } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { answer, busy, openUnrulyServer } from '@hull/test-helpers/unruly-server.ts'

const browser = await launchBrowser(t)
const service = await openUnrulyServer(t)
const afar = answer(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }, 'from afar')
service.will(afar)
const { origin, logs, provider, errors, transactions, transaction } = await startMonitored(t, {
  TRACE_TARGETS: service.origin
})

/** Trace context of a transaction: trace id, span id and parent. */
const traceOf = ({ contexts }: Transaction) => contexts!.trace!
const spanOf = ({ spans }: Transaction, op: string) => spans.find((span) => span.op === op)!
/** Headers of the request that the service received. */
const headersOf = (path: string) => service.seen.find(({ url }) => url === path)!.headers
const reset = () => {
  provider.seen.splice(0)
  service.seen.splice(0)
  logs.lines.splice(0)
}

t.beforeEach(reset)

t.test('a page load continues the trace of its document', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  await open(`/traced/7?from=${service.origin}/load`)
  await monitored(page)
  const load = await transaction('pageload', '/traced/[id]')
  const request = await transaction('http.server', '/traced/[id]')
  const { trace_id: traceId } = traceOf(load)
  t.equal(traceOf(request).trace_id, traceId)
  t.equal(traceOf(load).parent_span_id, traceOf(request).span_id)
  t.match(headersOf('/load'), { 'sentry-trace': `${traceId}-${spanOf(request, 'http.client').span_id}-1` })
  t.match(
    logs.lines.filter(({ msg }) => msg === 'loading'),
    [{ trace_id: traceId }]
  )
  t.ok(load.measurements?.fcp ?? load.contexts?.trace?.data, 'the page load has web vitals or trace data')
})

t.test('the page load of a streamed or cached document also continues its trace', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  for (const path of ['/stream', '/cached']) {
    reset()
    await open(path)
    await monitored(page)
    t.equal(await page.locator('meta[name=sentry-trace]').count(), 0)
    const load = await transaction('pageload', path)
    const request = await transaction('http.server', path)
    t.equal(traceOf(load).trace_id, traceOf(request).trace_id, path)
  }
})

t.test("a document from the browser's cache begins a new trace", async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  for (const path of ['/', '/cached']) {
    reset()
    await open(path)
    await monitored(page)
    const first = await transaction('pageload', path)
    await open('/plain')
    reset()
    await page.goBack()
    await monitored(page)
    const again = await transaction('pageload', path)
    t.not(traceOf(again).trace_id, traceOf(first).trace_id, path)
    t.equal(traceOf(again).parent_span_id, undefined, path)
    t.match(traceOf(again).links, [{ trace_id: traceOf(first).trace_id }], 'the trace is linked to the previous trace')
  }
})

t.test('a navigation has one trace from the click to the service behind the server', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await monitored(page)
  const load = await transaction('pageload', '/')
  await page.evaluate((to) => {
    const link = Object.assign(document.createElement('a'), { href: to, textContent: 'there' })
    link.dataset.prefetch = 'none'
    document.body.append(link)
    link.click()
  }, `/traced/7?from=${service.origin}/click`)
  await page.getByText('from afar').waitFor()
  const navigation = await transaction('navigation', '/traced/[id]')
  const request = await transaction('http.server', '/traced/[id]')
  const { trace_id: traceId } = traceOf(navigation)
  const fetched = navigation.spans.find(({ op }) => op === 'http.client')!
  t.not(traceId, traceOf(load).trace_id, 'the navigation begins a new trace')
  t.match(
    traceOf(navigation).links,
    [{ trace_id: traceOf(load).trace_id }],
    'the trace is linked to the previous trace'
  )
  t.equal(traceOf(request).trace_id, traceId)
  t.equal(traceOf(request).parent_span_id, fetched.span_id)
  t.equal(fetched.parent_span_id, traceOf(navigation).span_id)
  for (const op of ['guard', 'getData']) t.equal(spanOf(request, op).trace_id, traceId, op)
  t.match(headersOf('/click'), { 'sentry-trace': `${traceId}-${spanOf(request, 'http.client').span_id}-1` })
  t.match(
    logs.lines.filter(({ msg }) => msg === 'loading'),
    [{ trace_id: traceId }]
  )
})

t.test('both attempts to reach a service that fails once are part of the trace', async (t) => {
  t.teardown(() => service.will(afar))
  const { open, page } = await openTab(t, browser, { origin })
  await page.context().addCookies([{ name: 'upstream', value: encodeURIComponent(service.origin), url: origin }])

  /**
   * Asserts that a server transaction has a span for its work with two attempts below it, and that the service received
   * the ids of each attempt in its headers.
   */
  function assertAttempts(t: Test, request: Transaction, work: string, path: string) {
    const { trace_id: traceId, span_id: rootId } = traceOf(request)
    const { span_id: workId, parent_span_id: parentId } = spanOf(request, work)
    t.equal(parentId, rootId, work)
    const attempts = request.spans.filter(({ op, parent_span_id: id }) => op === 'http.client' && id === workId)
    t.equal(attempts.length, 2)
    t.same(
      service.seen.filter(({ url }) => url === path).map(({ headers }) => headers['sentry-trace']),
      attempts.map(({ span_id: id }) => `${traceId}-${id}-1`)
    )
    t.ok(request.spans.every(({ trace_id: id }) => id === traceId))
  }

  await t.test('for a document', async (t) => {
    service.will(busy('0'), afar)
    await open(`/traced/7?from=${service.origin}/document`)
    await monitored(page)
    const load = await transaction('pageload', '/traced/[id]')
    const request = await transaction('http.server', '/traced/[id]')
    t.equal(traceOf(load).trace_id, traceOf(request).trace_id)
    assertAttempts(t, request, 'getData', '/document')
    for (const op of ['guard', 'render']) t.equal(spanOf(request, op).parent_span_id, traceOf(request).span_id, op)
  })

  await t.test('for a navigation', async (t) => {
    reset()
    service.will(busy('0'), afar)
    await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), { href: '/taken/7' })
      link.dataset.prefetch = 'none'
      document.body.append(link)
      link.click()
    })
    const navigation = await transaction('navigation', '/taken/[id]')
    const request = await transaction('http.server', '/taken/[id]')
    t.equal(traceOf(request).parent_span_id, spanOf(navigation, 'http.client').span_id)
    assertAttempts(t, request, 'getData', '/read')
  })

  await t.test('for a form', async (t) => {
    await open('/')
    await hydrated(page)
    await monitored(page)
    await transaction('pageload', '/')
    reset()
    service.will(busy('0'), afar)
    await page.getByRole('button', { name: 'send' }).click()
    const navigation = await transaction('navigation', '/taken/[id]')
    const request = await eventually(() =>
      transactions().find(
        ({ contexts, spans }) => contexts?.trace?.op === 'http.server' && spans.some(({ op }) => op === 'action')
      )
    )
    t.equal(traceOf(request).trace_id, traceOf(navigation).trace_id)
    t.ok(navigation.spans.some(({ span_id: id }) => id === traceOf(request).parent_span_id))
    assertAttempts(t, request, 'action', '/write')
  })
})

t.test('the POST of a form and the page that it leads to have one trace', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  await page.context().addCookies([{ name: 'upstream', value: encodeURIComponent(service.origin), url: origin }])
  await open('/')
  await hydrated(page)
  await monitored(page)
  await page.getByRole('button', { name: 'send' }).click()
  await page.getByText('from afar').waitFor()
  const navigation = await transaction('navigation', '/taken/[id]')
  const requests = await eventually(() => {
    const found = transactions().filter(({ transaction }) => transaction === '/taken/[id]')
    return found.length >= 3 && found.filter(({ contexts }) => contexts?.trace?.op === 'http.server')
  })
  const { trace_id: traceId } = traceOf(navigation)
  const fetches = navigation.spans.filter(({ op }) => op === 'http.client')
  t.same(
    requests.map((request) => traceOf(request).parent_span_id).toSorted(),
    fetches.map(({ span_id: id }) => id).toSorted(),
    'the trace has the POST and the request for the next page'
  )
  for (const path of ['/write', '/read']) t.match(headersOf(path)['sentry-trace'], traceId, path)
})

t.test('a prefetch begins a trace, which the navigation that uses it continues', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  await page.context().addCookies([{ name: 'upstream', value: encodeURIComponent(service.origin), url: origin }])
  await open('/')
  await hydrated(page)
  await monitored(page)
  const load = await transaction('pageload', '/')
  await page.getByRole('button', { name: 'prefetch' }).click()
  const prefetch = await transaction('prefetch', '/taken/[id]')
  const request = await transaction('http.server', '/taken/[id]')
  const { trace_id: traceId } = traceOf(prefetch)
  t.not(traceId, traceOf(load).trace_id)
  t.equal(traceOf(request).trace_id, traceId)
  t.equal(traceOf(request).parent_span_id, spanOf(prefetch, 'http.client').span_id)
  t.match(headersOf('/read')['sentry-trace'], traceId)
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/taken/8' })
    document.body.append(link)
    link.click()
  })
  await page.getByText('from afar').waitFor()
  const navigation = await transaction('navigation', '/taken/[id]')
  t.equal(traceOf(navigation).trace_id, traceId)
  t.equal(traceOf(navigation).parent_span_id, traceOf(prefetch).span_id)
  t.equal(service.seen.length, 1, 'the service received one request')
})

t.test('an error during a prefetch has the trace of the page', async (t) => {
  const { open, page, take } = await openTab(t, browser, { origin })
  t.teardown(() => take())
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/-/data/taken/8', async (route) => {
    await held
    await route.continue()
  })
  await open('/')
  await hydrated(page)
  await monitored(page)
  const load = await transaction('pageload', '/')
  const requested = page.waitForRequest('**/-/data/taken/8')
  await page.getByRole('button', { name: 'prefetch' }).click()
  await requested
  await page.getByRole('button', { name: 'throw', exact: true }).click()
  const error = await eventually(() => errors()[0])
  release()
  t.equal(error.contexts!.trace!.trace_id, traceOf(load).trace_id)
})

t.test('trace headers are sent only to the own origin and to origins in TRACE_TARGETS', async (t) => {
  const otherService = await openUnrulyServer(t)
  otherService.will(answer(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }))
  const { open, page } = await openTab(t, browser, { origin, bypassCSP: true })
  await open('/')
  await monitored(page)
  const long = `a=${'x'.repeat(8_000)}`
  await page.evaluate(
    async ({ targets, baggage }) => {
      for (const target of targets) {
        await (await fetch(`${target}/fetch`)).text()
        await new Promise((resolve) => {
          const request = new XMLHttpRequest()
          request.open('GET', `${target}/xhr`)
          request.addEventListener('loadend', resolve)
          request.send()
        })
      }
      await (await fetch(`${targets[0]}/full`, { headers: { baggage } })).text()
      await new Promise((resolve) => {
        const request = new XMLHttpRequest()
        request.open('GET', `${targets[0]}/full-xhr`)
        request.setRequestHeader('baggage', baggage)
        request.addEventListener('loadend', resolve)
        request.send()
      })
    },
    { targets: [service.origin, otherService.origin, `${otherService.origin}/?${service.origin}/`], baggage: long }
  )
  const sent = service.seen.filter(({ method }) => method === 'GET')
  t.same(
    sent.map(({ url }) => url),
    ['/fetch', '/xhr', '/full', '/full-xhr']
  )
  for (const { url, headers } of sent) {
    t.match(headers, { 'sentry-trace': /^[0-9a-f]{32}-[0-9a-f]{16}-1$/, traceparent: /^00-[0-9a-f]{32}-/ }, url)
    const baggage = String(headers.baggage)
    t.ok(baggage.length <= 8_192, `${url}: ${baggage.length}`)
    t.equal(baggage.startsWith('sentry-'), url !== '/full-xhr', url)
  }
  t.ok(otherService.seen.length >= 4)
  for (const { headers } of otherService.seen)
    t.notMatch(JSON.stringify(headers), /sentry-|traceparent|baggage/, 'not even a preflight requests them')
})

t.test('a trace is linked to the previous trace for an hour', async (t) => {
  const { open, page } = await openTab(t, browser, { origin })
  await open('/cached')
  await monitored(page)
  for (const [minutes, isLinked] of [
    [59, true],
    [61, false]
  ] as const) {
    // Waits for the transaction, so that the SDK does not overwrite the item.
    await transaction('pageload', '/cached')
    await page.evaluate((age) => {
      const kept = JSON.parse(sessionStorage.getItem('sentry_previous_trace')!) as { startTimestamp: number }
      kept.startTimestamp = Date.now() / 1_000 - age * 60
      sessionStorage.setItem('sentry_previous_trace', JSON.stringify(kept))
    }, minutes)
    provider.seen.splice(0)
    await open('/cached')
    await monitored(page)
    const { links = [] } = traceOf(await transaction('pageload', '/cached'))
    t.equal(links.length > 0, isLinked, `${minutes} minutes`)
  }
})
