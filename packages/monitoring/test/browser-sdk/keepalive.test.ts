import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { monitored, readProvider, startMonitored } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const ERRORS = 200
const NAVIGATIONS = 100

const site = await buildSite(join(import.meta.dirname, '../fixtures/monitored'))
const browser = await launchBrowser(t)

for (const [condition, responseBody] of [
  ["with Hull's own responses", undefined],
  ['behind a proxy that adds no-store and a body to responses', '{"id":"x"}']
] as const)
  t.test(`200 errors and 100 navigations of a page are all reported ${condition}`, async (t) => {
    const provider = await openProvider(t)
    const { app, origin } = await createListeningApp(t, {
      site,
      env: { SENTRY_DSN: provider.dsn, TRACES_SAMPLE_RATE: '1', TUNNEL_RATE: '0' },
      prepare: (app) =>
        app.addHook('onSend', async ({ url }, reply, payload) => {
          if (url !== '/monitoring' || responseBody === undefined) return payload
          reply.header('cache-control', 'no-store').removeHeader('content-length')
          return responseBody
        })
    })
    await eventually(() => app.telemetry!.isReady)
    const { errors, transactions, reports } = readProvider(provider)
    const { page, open, take } = await openTab(t, browser, { origin })
    await open('/')
    await hydrated(page)
    await monitored(page)

    for (let i = 0; i < ERRORS; i += 20)
      await page.evaluate(async (from) => {
        for (let i = from; i < from + 20; i++) {
          reportError(new Error(`error ${i}`))
          // The SDK allows only a few requests at the same time.
          if (i % 5 === 4) await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }, i)
    await page.click('text=cached')
    await page.waitForURL('**/cached')
    for (let i = 0; i < NAVIGATIONS; i++) {
      await page.evaluate((back) => (back ? history.back() : history.forward()), i % 2 === 0)
      await page.waitForURL(i % 2 === 0 ? '**/' : '**/cached')
    }

    await eventually(() => errors().length >= ERRORS)
    await eventually(
      () => transactions().filter(({ contexts }) => contexts?.trace?.op === 'navigation').length >= NAVIGATIONS
    )
    t.same(
      reports().flatMap((report) => report.discarded_events),
      []
    )
    t.equal(new Set(errors().map(({ exception }) => exception?.values?.[0]?.value)).size, ERRORS)
    t.equal(
      await page.evaluate(() => navigator.sendBeacon('/', 'x'.repeat(60_000))),
      true,
      "the browser's quota for keepalive requests is free"
    )
    // Leaving the page sends the session.
    await page.goto(origin, { waitUntil: 'networkidle' })
    await take()
  })

t.test('an error before the page is left is sent once, and errors while it is left are all sent', async (t) => {
  const { origin, errors } = await startMonitored(t)
  const tab = await openTab(t, browser, { origin })
  t.teardown(() => tab.take())
  await tab.open('/')
  await hydrated(tab.page)
  await monitored(tab.page)
  await tab.page.evaluate((count) => {
    addEventListener('beforeunload', () => reportError(new Error('before')))
    addEventListener('pagehide', () => {
      // Together they are below the browser's limit for keepalive requests, beyond which it may drop requests.
      for (let i = 0; i < count; i++) reportError(new Error(`while ${i}`))
    })
  }, 5)
  await tab.page.goto(`${origin}/plain`)
  await eventually(() => new Set(errors().map(({ event_id: id }) => id)).size === 6)
  // Waits long enough for duplicates to arrive.
  await new Promise((resolve) => setTimeout(resolve, 700))
  t.equal(errors().length, 6)
})
