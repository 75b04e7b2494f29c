import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const browser = await launchBrowser(t)
const site = await buildSite(join(import.meta.dirname, '../fixtures/monitored'))
const { app, origin, provider, errors, transaction } = await startMonitored(t, { TRACES_SAMPLE_RATE: '1' })

/** Paths of the SDK's chunks. */
const SDK = /\/assets\/(?:open|recorded-traces)-[\w-]+\.js$/
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'

t.test(
  'a page whose trace is recorded requests two chunks of the SDK, of at most 48 KB, after its load event',
  async (t) => {
    const { page, open, pathsOf } = await openTab(t, browser, { origin })
    await open('/')
    await monitored(page)
    const { loaded, requested } = await page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const sdk = performance.getEntriesByType('resource').find(({ name }) => name.includes('/assets/open-'))
      return { loaded: entry!.loadEventStart, requested: sdk!.startTime }
    })
    t.ok(requested >= loaded, `requested after ${requested} ms, loaded after ${loaded} ms`)
    const sizes = pathsOf('script')
      .filter((path) => SDK.test(path))
      .map((path) => gzipSync(readFileSync(join(site.dist, 'client', path)), { level: 9 }).length)
    t.equal(sizes.length, 2)
    const size = sizes.reduce((sum, each) => sum + each)
    t.ok(size <= 48 * 1024, `${size} bytes`)
    t.ok(size > 20_000, 'the chunks contain the SDK')
  }
)

t.test('a prerendered page is reported only when a visitor opens it', async (t) => {
  const { page, open, pathsOf } = await openTab(t, browser, { origin })
  // Playwright prevents prerendering.
  await page.addInitScript(() => {
    let opened = 0
    Object.defineProperty(document, 'prerendering', { get: () => opened === 0 })
    Object.defineProperty(PerformanceNavigationTiming.prototype, 'activationStart', { get: () => opened })
    addEventListener('visit', () => {
      opened = performance.now()
      document.dispatchEvent(new Event('prerenderingchange'))
    })
  })
  provider.seen.splice(0)
  await open('/traced/prerendered')
  await hydrated(page)
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 1_000))))
  t.same(
    pathsOf('script').filter((path) => SDK.test(path)),
    []
  )
  const [before, after] = await page.evaluate(() => {
    const now = () => performance.timeOrigin + performance.now()
    const before = now()
    dispatchEvent(new Event('visit'))
    return [before, now()] as const
  })
  const { start_timestamp: start, spans } = await transaction('pageload', '/traced/[id]')
  const opened = Math.round(start! * 1_000)
  t.ok(opened >= Math.floor(before) && opened <= Math.ceil(after), `${opened} is the time of the visit, ${before}`)
  t.ok(
    spans.some(({ op }) => op === 'browser.request'),
    'the transaction includes the request of the document'
  )
  const types = provider.seen.flatMap(({ items }) => items.map(({ header }) => header.type))
  t.equal(types.filter((type) => type === 'session').length, 1)
})

t.test('monitoring adds a few hundred bytes and no script before the first paint', async (t) => {
  const off = await createListeningApp(t, { site, env: { INBOX: 'off' } })
  const scripts = async (from: string) => {
    const tab = await openTab(t, browser, { origin: from })
    await tab.open('/')
    await hydrated(tab.page)
    const html = await (await fetch(from)).text()
    return {
      html,
      scripts: tab.pathsOf('script').filter((path) => !SDK.test(path)),
      fetched: tab.pathsOf('fetch'),
      sdk: await tab.page.evaluate(() => '$errors' in self)
    }
  }
  const [on, without] = [await scripts(origin), await scripts(off.origin)]
  t.same(on.scripts, without.scripts)
  const early = /<head><script>(.*?)<\/script>/.exec(on.html)![1]!
  t.ok(early.length < 400, `${early.length} bytes`)
  t.match(on.html, /<script type="application\/json" id="hull-monitoring">/)
  t.notMatch(without.html, /<script>|id="hull-monitoring"|sentry/)
  t.equal(without.sdk, false)
  t.same(without.fetched, [])
})

t.test('a page that has an element with the id `monitoring` is hydrated without monitoring', async (t) => {
  const off = await createListeningApp(t, { site, env: { INBOX: 'off' } })
  const { page, open } = await openTab(t, browser, { origin: off.origin })
  await open('/anchor')
  await hydrated(page)
})

t.test('a link to a fragment leads to an element with the id `monitoring`', async (t) => {
  const { page, open } = await openTab(t, browser, { origin })
  await open('/anchor#monitoring')
  await hydrated(page)
  t.equal(await page.locator(':target').innerText(), 'Monitoring')
})

t.test('a page without scripts contains nothing of monitoring', async (t) => {
  const { body } = await app.inject({ url: '/plain' })
  t.match(body, 'Plain')
  t.notMatch(body, /<script|monitoring|sentry/)
})

t.test('a cached document is the same for all visitors, and its content security policy has no nonce', async (t) => {
  const [one, two] = [await app.inject({ url: '/cached' }), await app.inject({ url: '/cached' })]
  t.equal(one.body, two.body)
  t.match(one.body, 'id="hull-monitoring"')
  t.match(one.headers['content-security-policy'], /script-src 'self' 'sha256-[\w+/]+='/)
  t.notMatch(one.headers['content-security-policy'], 'nonce')
})

/**
 * Sets the user of the page and sends feedback with the SDK's global state, because a page that imports the SDK would
 * have another build.
 */
function reportAs(user: { email: string; username: string }) {
  const carriers = (self as unknown as { __SENTRY__: Record<string, Carrier> }).__SENTRY__
  const { defaultCurrentScope: scope, defaultIsolationScope } = carriers[String(carriers.version)]!
  defaultIsolationScope.setUser(user)
  scope.captureEvent({ type: 'feedback', contexts: { feedback: { message: 'It hangs' } } })
}

type Carrier = Record<
  'defaultCurrentScope' | 'defaultIsolationScope',
  { setUser: (user: object) => void; captureEvent: (event: object) => void }
>

const itemsOf = (type: string) =>
  provider.seen.flatMap(({ items }) =>
    items.filter(({ header }) => header.type === type).map(({ payload }) => payload.toString())
  )

t.test('envelopes of the browser contain no secrets', async (t) => {
  const { page, open, take } = await openTab(t, browser, { origin })
  t.teardown(() => take())
  await page.context().addCookies([{ name: 'session_token', value: 's3cr3t-cookie', url: origin }])
  provider.seen.splice(0)
  await open(`/?token=s3cr3t-query&page=7&q=${JWT}#access_token=s3cr3t-hash`)
  await hydrated(page)
  await monitored(page)
  await page.getByLabel('Password').fill('s3cr3t-typed')
  await page.getByRole('button', { name: 'send' }).hover()
  await page.evaluate(reportAs, { email: 'ada@example.org', username: 's3cr3t-name' })
  await page.evaluate(async (jwt) => {
    await (
      await fetch(`/cached?api_key=s3cr3t-fetch&q=${jwt}`, {
        headers: { authorization: 'Bearer s3cr3t-bearer', 'x-api-key': 's3cr3t-key' }
      })
    ).text()
    history.pushState(history.state, '', '/?code=s3cr3t-code&mail=ada%40example.org')
    setTimeout(() => {
      throw new Error(`GET /x?sig=s3cr3t-message failed for ada@example.org: Authorization: Bearer s3cr3t-text`, {
        cause: new Error('password=s3cr3t-cause')
      })
    })
  }, JWT)
  await eventually(() => errors().length)
  await page.getByRole('button', { name: 'send' }).click()
  await page.getByRole('heading', { name: 'Taken' }).waitFor()
  await transaction('navigation', '/taken/[id]')
  await transaction('pageload', '/')
  // When the page is left, the SDK reports the duration of the click.
  await page.goto('about:blank')
  for (const type of ['feedback', 'session', 'span']) await eventually(() => itemsOf(type).length > 0)
  t.match(itemsOf('feedback'), [/It hangs/])
  const all = provider.seen.map(({ body, header }) => JSON.stringify(header) + body.toString()).join('\n')
  for (const secret of ['s3cr3t', JWT, 'ada@example.org', 'ada%40example.org']) {
    const at = all.indexOf(secret)
    t.equal(at, -1, `${secret}: ${all.slice(Math.max(0, at - 200), at + 100)}`)
  }
  t.ok(errors()[0]!.breadcrumbs!.length >= 2, 'the event has breadcrumbs')
  t.match(errors()[0]!.request!.url, `${origin}/`)
})
