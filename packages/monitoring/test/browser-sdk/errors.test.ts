import type { Scope } from '@sentry/core'
import type { Page, Route } from 'playwright'
import t, { type Test } from 'tap'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const browser = await launchBrowser(t)
const { origin, logs, provider, errors, messages, reports, transactions } = await startMonitored(t, {
  ENVIRONMENT: 'tests',
  RELEASE: 'r1'
})

t.beforeEach(() => {
  provider.seen.splice(0)
})

/** Waits long enough for a second report to arrive. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 700))

/** Reads the client report of items that exceeded the limit of pending requests; each tab reports its own. */
const overflow = () =>
  eventually(() =>
    reports()
      .flatMap((report) => report.discarded_events)
      .find(({ reason }) => reason === 'queue_overflow')
  )

/** Delays the SDK's chunk. @returns a function that lets the chunk load */
async function holdSdk(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/assets/open-*.js', async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

/** Opens a tab whose errors do not fail the test. */
async function openFailing(test: Parameters<typeof openTab>[0]) {
  const tab = await openTab(test, browser, { origin })
  test.teardown(() => tab.take())
  return tab
}

t.test(
  'errors before, during and after the load of the SDK arrive once each, in the trace of the document',
  async (t) => {
    const tab = await openFailing(t)
    const { page, open, take } = tab
    const load = await holdSdk(page)
    await page.route('**/early.js', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'Promise.reject(new Error("early rejection")); (function deep(n) { if (n) return deep(n - 1); throw new TypeError("early error") })(30)'
      })
    )
    const before = Date.now() / 1_000
    const requested = page.waitForRequest('**/assets/open-*.js')
    await open('/early')
    await hydrated(page)
    await requested
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('in between')
      })
    })
    const between = Date.now() / 1_000
    await page.waitForTimeout(300)
    t.same(messages(), [], 'nothing is sent before the SDK is loaded')
    load()
    await monitored(page)
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('afterwards')
      })
    })
    await eventually(() => errors().length >= 4)
    await settled()
    t.same(messages(), ['afterwards', 'early error', 'early rejection', 'in between'])
    const trace = await page.locator('meta[name=sentry-trace]').getAttribute('content')
    for (const event of errors()) {
      const [value] = event.exception!.values!
      t.equal(event.contexts!.trace!.trace_id, trace!.slice(0, 32), value!.value ?? '')
      t.match(value, { mechanism: { handled: false } })
      t.equal(event.transaction, '/early')
      t.match(event, { environment: 'tests', release: 'r1' })
    }
    const early = errors().find(({ exception }) => exception?.values?.[0]?.value === 'early error')!
    t.ok(early.exception!.values![0]!.stacktrace!.frames!.length > 30, 'the stack is complete')
    t.ok(early.timestamp! >= before && early.timestamp! <= between, 'the timestamp is the time of the error')
    await take()
  }
)

t.test('an early error is reported for its own page, also if the SDK is loaded on the next page', async (t) => {
  const { page, open, take } = await openFailing(t)
  const load = await holdSdk(page)
  await open('/?page=2')
  await hydrated(page)
  await page.getByRole('button', { name: 'throw', exact: true }).click()
  await page.getByRole('button', { name: 'render', exact: true }).click()
  await page.evaluate(() => {
    const link = Object.assign(document.createElement('a'), { href: '/cached', textContent: 'there' })
    document.body.append(link)
    link.click()
  })
  await page.getByRole('heading', { name: 'Cached' }).waitFor()
  load()
  await eventually(() => errors().length >= 2)
  for (const { transaction, request } of errors())
    t.match({ transaction, request }, { transaction: '/', request: { url: `${origin}/?page=2` } })
  await take()
})

t.test('an error is reported while a picture of the page is still loading', async (t) => {
  const { page, take } = await openFailing(t)
  await page.clock.install()
  const pictures: Route[] = []
  await page.route('**/hanging.png', (route) => void pictures.push(route))
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      document.body.append(Object.assign(new Image(), { src: '/hanging.png' }))
    })
  })
  await page.goto('/', { waitUntil: 'commit' })
  await hydrated(page)
  await page.getByRole('button', { name: 'throw', exact: true }).click()
  t.same(messages(), [])
  await page.clock.fastForward(10_000)
  await eventually(() => errors().length)
  t.same(messages(), ['thrown in a handler'])
  t.not(await page.evaluate(() => document.readyState), 'complete')
  // Otherwise the server answers 404 when the page is closed.
  for (const picture of pictures) await picture.fulfill({ contentType: 'image/svg+xml', body: '<svg/>' })
  await take()
})

t.test('early errors beyond the limit of 20 are counted', async (t) => {
  const { page, open, take } = await openFailing(t)
  await page.route('**/early.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'for (let i = 0; i < 25; i++) setTimeout(() => { throw new Error("early " + i) })'
    })
  )
  await open('/early')
  await monitored(page)
  await eventually(() => errors().length >= 20)
  await settled()
  t.equal(errors().length, 20)
  // The page reports dropped items when it is left.
  await page.goto('about:blank')
  t.match(await overflow(), { category: 'error', quantity: 5 })
  await take()
})

for (const [button, message, expected] of [
  ['throw', 'thrown in a handler', { mechanism: { handled: false } }],
  ['reject', 'rejected for nobody', { mechanism: { handled: false } }],
  ['reject a string', undefined, {}],
  ['render', 'thrown in render', { mechanism: { type: 'hull.react', handled: true } }]
] as const)
  t.test(`"${button}" is reported once`, async (t) => {
    const { page, open, take } = await openFailing(t)
    await open('/')
    await hydrated(page)
    await monitored(page)
    await page.getByRole('button', { name: button, exact: true }).click()
    await eventually(() => errors().length)
    await settled()
    t.equal(errors().length, 1)
    const [event] = errors()
    if (message) t.match(event!.exception!.values!.at(-1), { value: message, ...expected })
    else t.match(messages()[0], 'a string')
    if (button === 'render') t.match(event!.contexts!.react, { componentStack: /\n/ })
    await take()
  })

t.test('an error outside of any error boundary', async (t) => {
  /** Opens a page, and makes the root throw outside of every error boundary when the next page is shown. */
  async function fail(t: Test, digest?: string) {
    const tab = await openFailing(t)
    await tab.open('/')
    await hydrated(tab.page)
    await monitored(tab.page)
    await tab.page.evaluate((id) => {
      // The shell calls this when the next page is shown.
      self.scrollTo = () => {
        throw Object.assign(new Error('beyond every boundary'), id === undefined ? {} : { digest: id })
      }
    }, digest)
    await tab.page.getByRole('link', { name: 'cached' }).click()
    t.match(await tab.page.getByRole('alert').innerText(), /^Application error: a client-side or server-side exception/)
    return tab
  }

  t.test('is reported once, as unhandled, with its component stack', async (t) => {
    const { take } = await fail(t)
    await eventually(() => errors().length)
    await settled()
    t.equal(errors().length, 1)
    const [event] = errors()
    t.match(event!.exception!.values, [
      { type: 'Error', value: 'beyond every boundary', mechanism: { type: 'hull.react', handled: false } }
    ])
    t.match(event!.contexts!.react, { componentStack: /\n\s+at [\w$]/ })
    t.ok(event!.exception!.values![0]!.stacktrace!.frames!.length > 1)
    await take()
  })

  t.test('shows the digest of its event, not a `digest` property of the error', async (t) => {
    const { page, take } = await fail(t, '1234abcd')
    const text = await page.locator('#root').innerText()
    await eventually(() => errors().length)
    await settled()
    t.same(messages(), ['beyond every boundary'])
    t.match(text, `Digest: ${String(errors()[0]!.tags!.digest)}`)
    t.notMatch(text, '1234abcd')
    await take()
  })

  t.test('shows the digest of an event, also if the application captured the error before', async (t) => {
    const { page, open, take } = await openFailing(t)
    await open('/')
    await hydrated(page)
    await monitored(page)
    await page.evaluate(() => {
      const carriers = (self as unknown as { __SENTRY__: Record<string, { defaultCurrentScope: Scope }> }).__SENTRY__
      const { defaultCurrentScope: scope } = carriers[String(carriers.version)]!
      self.scrollTo = () => {
        const error = new Error('captured before')
        scope.captureException(error)
        throw error
      }
    })
    await page.getByRole('link', { name: 'cached' }).click()
    const [, digest] = /Digest: (\w+)/.exec(await page.getByRole('alert').innerText())!
    await eventually(() => errors().some(({ tags }) => tags?.digest === digest))
    await take()
  })
})

t.test('a hydration mismatch is reported once, with its component stack', async (t) => {
  const { page, open, take } = await openFailing(t)
  const load = await holdSdk(page)
  await open('/mismatch')
  await page.getByText('the browser').waitFor()
  const shown = Date.now() / 1_000
  await page.waitForTimeout(100)
  load()
  await monitored(page)
  await eventually(() => errors().length)
  await settled()
  t.equal(errors().length, 1)
  t.match(messages()[0], /#418|ydrat/)
  t.ok(errors()[0]!.timestamp! <= shown, 'the timestamp is the time of the error')
  t.match(errors()[0]!.contexts!.react, { componentStack: /\n/ })
  await take()
})

t.test('an error has the wall-clock time, also in a tab that was open while the machine slept', async (t) => {
  const { page, open, take } = await openFailing(t)
  await open('/')
  await monitored(page)
  const asleep = 6 * 3_600
  // The clock of `performance.now()` stops while a machine sleeps; `Date.now()` moves on.
  await page.evaluate((ms) => {
    const now = Date.now
    Date.now = () => now() + ms
  }, asleep * 1_000)
  const before = Date.now() / 1_000
  await page.getByRole('button', { name: 'throw', exact: true }).click()
  await eventually(() => errors().length)
  const late = errors()[0]!.timestamp! - asleep
  t.ok(late >= before - 1 && late <= Date.now() / 1_000, `${late - before} s`)
  await take()
})

t.test('outcomes and errors of extensions or without information are not reported', async (t) => {
  const { page, open, take } = await openFailing(t)
  await open('/')
  await hydrated(page)
  await monitored(page)
  await page.getByRole('button', { name: 'throw an outcome' }).click()
  await page.evaluate(() => {
    dispatchEvent(new ErrorEvent('error', { message: 'Script error.' }))
    dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop limit exceeded' }))
    dispatchEvent(new ErrorEvent('error', { message: 'x is undefined', filename: 'chrome-extension://abc/x.js' }))
    dispatchEvent(new ErrorEvent('error', { message: 'Unexpected token', filename: `${location.origin}/x.js` }))
  })
  await eventually(() => errors().length)
  await settled()
  t.same(messages(), ['Unexpected token'])
  await take()
})

t.test('reports an error of an extension if the visitor sees its digest', async (t) => {
  const { page, open, take } = await openFailing(t)
  await open('/')
  await hydrated(page)
  await monitored(page)
  await page.evaluate(() => {
    const Original = Error
    self.Error = function extended(message?: string) {
      const stack = `Error: ${message}\n    at wrapped (chrome-extension://abc/content.js:1:1)`
      return Object.assign(new Original(message), { stack })
    } as unknown as ErrorConstructor
  })
  await page.getByRole('button', { name: 'render', exact: true }).click()
  const shown = /Digest: (\w+)/.exec(await page.getByText('Digest: ').innerText())![1]
  await eventually(() => errors().length)
  await settled()
  t.same(
    errors().map(({ tags }) => tags!['digest']),
    [shown]
  )
  await take()
})

t.test('does not report a rejection that the server has reported, but reports others with a digest', async (t) => {
  const { page, open, takeFirst } = await openFailing(t)
  await open('/late-failure')
  await monitored(page)
  t.match(await takeFirst(), [/^uncaught: The server failed to produce a part/])
  t.equal(logs.takeErrors().length, 1)
  await page.evaluate(() => {
    reportError(Object.assign(new Error('of a library'), { digest: '123' }))
  })
  await eventually(() => errors().length)
  await settled()
  t.same(messages(), ['of a library'])
})

t.test('errors beyond a queue of 64 pending requests are counted while the tunnel is slow', async (t) => {
  const { page, open, take } = await openFailing(t)
  await open('/')
  await hydrated(page)
  await monitored(page)
  await eventually(() => transactions().some(({ contexts }) => contexts?.trace?.op === 'pageload'))
  await settled()
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route('**/monitoring', async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('button', { name: 'throw 65' }).click()
  await page.waitForTimeout(1_000)
  t.equal(errors().length, 0)
  release()
  // One of the 64 requests reports the crashed session, and one may report the duration of the click.
  await eventually(() => errors().length >= 62)
  await settled()
  const sent = errors().length
  t.ok(sent <= 63)
  t.equal(new Set(messages()).size, sent)
  await page.unroute('**/monitoring')
  await page.goto('about:blank')
  t.match(await overflow(), { category: 'error', quantity: 65 - sent })
  await take()
})
