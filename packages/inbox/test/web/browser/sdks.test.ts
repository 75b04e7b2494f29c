import type { Request } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { servePage } from '@hull/test-helpers/sdk-page.ts'
import { buildFixtureSite } from '@hull/test-helpers/site.ts'

/*
 * SDKs post with `keepalive` and never read the response. Chromium allows 64 KiB of such requests per page, and
 * considers a request unfinished if its response has an unread body and must not be stored.
 */

interface Sdk {
  captureException: (error: Error) => void
  flush: (timeout: number) => Promise<boolean>
}

/** Numbers of items whose requests add up to several times 64 KiB. */
const ERRORS = 80
const NAVIGATIONS = 40

const site = await buildFixtureSite()
const browser = await launchBrowser(t)
const { app, origin } = await createListeningApp(t, {
  site,
  env: { INBOX: 'on', TUNNEL_RATE: '0', INBOX_KEY_RATE: '0' }
})

for (const version of [7, 8, 9, 10, 11])
  t.test(`SDK ${version} on a page of another origin loses no event`, async (t) => {
    const before = { ...app.inbox!.stats().stored }
    const { key, id } = await app.inbox!.changes.createProject({ name: `Shop ${version}` })
    const dsn = origin.replace('//', `//${key}@`).concat(`/${id}`)
    const page = await servePage(t, dsn, version === 11 ? '@sentry/browser' : `sentry-browser-${version}`)
    const tab = await openTab(t, browser, { origin: page })
    const unfinished = new Set<Request>()
    tab.page.on('request', (request) => unfinished.add(request))
    tab.page.on('requestfinished', (request) => unfinished.delete(request))
    tab.page.on('requestfailed', (request) => unfinished.delete(request))
    await tab.open('/')

    await tab.page.evaluate(
      async ({ errors, navigations }) => {
        const { captureException, flush } = (self as unknown as { Sentry: Sdk }).Sentry
        for (let i = 0; i < Math.max(errors, navigations); i++) {
          if (i < errors) captureException(new Error(`error ${i}`))
          if (i < navigations) history.pushState({}, '', `/page/${i}`)
          // The SDK and the browser limit the number of requests at the same time, so items are flushed five by five.
          if (i % 5 === 4) await flush(30_000)
        }
        // The next navigation ends the transaction of the last one.
        history.pushState({}, '', '/')
        await flush(30_000)
      },
      { errors: ERRORS, navigations: NAVIGATIONS }
    )
    const count = (type: string) => (app.inbox!.stats().stored[type] ?? 0) - (before[type] ?? 0)
    await eventually(() => count('event') >= ERRORS)
    await eventually(() => count('transaction') >= NAVIGATIONS)
    await eventually(() => unfinished.size === 0)
    // The debugger reports an unread empty response as aborted by the page.
    t.same(
      (await tab.take()).filter((line) => !line.endsWith('net::ERR_ABORTED')),
      []
    )
    t.equal(
      await tab.page.evaluate(() => navigator.sendBeacon('/beacon', 'x'.repeat(60_000))),
      true,
      'the page can send 60,000 bytes again'
    )
  })
