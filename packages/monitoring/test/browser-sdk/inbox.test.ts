import { join } from 'node:path'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser, openTab } from '@hull/test-helpers/browser.ts'
import { countStored, stored } from '@hull/test-helpers/inbox.ts'
import { monitored, readProvider } from '@hull/test-helpers/monitored.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { buildSite } from '@hull/test-helpers/site.ts'

const site = await buildSite(join(import.meta.dirname, '../../../inbox/test/fixtures/unwatched'))
const browser = await launchBrowser(t)

const isAborted = (problem: string) => /^request failed: .* net::ERR_ABORTED$/.test(problem)

t.test('an error in a browser is stored in the inbox without any configuration', async (t) => {
  const { app, origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  const { open, page, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await monitored(page)
  await page.click('text=throw')
  await stored(app, 'event')
  t.match(await take(), [/thrown at home/])
})

t.test('an error in a browser is stored in the inbox and sent to a provider with the same id', async (t) => {
  const provider = await openProvider(t)
  const { app, origin } = await createListeningApp(t, { site, env: { INBOX: 'on', SENTRY_DSN: provider.dsn } })
  const { open, page, take } = await openTab(t, browser, { origin })
  await open('/')
  await hydrated(page)
  await monitored(page)
  await page.click('text=throw')
  await stored(app, 'event')
  const sent = await eventually(() => readProvider(provider).errors()[0])
  const { issues } = await app.inbox!.queries.listIssues({ view: { since: 0, until: Date.now() + 60_000 } })
  t.equal(issues.length, 1)
  const { row } = await app.inbox!.queries.getEvent({ id: issues[0]!.id })
  t.equal(row.eventId, sent.event_id)
  t.match(await take(), [/thrown at home/])
})

t.test('pages of the inbox are not monitored, whether a link, a redirect or the history leads to them', async (t) => {
  const { app, origin } = await createListeningApp(t, { site, env: { INBOX: 'on' } })
  await eventually(() => app.telemetry!.isReady)
  const { open, page, takeFirst } = await openTab(t, browser, { origin })
  for (const link of ['inbox', 'moved']) {
    await open('/')
    await hydrated(page)
    await monitored(page)
    await page.hover(`a:has-text("${link}")`)
    await page.click(`a:has-text("${link}")`)
    await page.waitForURL('**/inbox')
    await hydrated(page)
    t.equal(await page.evaluate(() => '$errors' in self), false, `${link}: the inbox is a new document`)
    await page.click('text=throw')
    // A prefetch is aborted if its link leads to another document, and the browser may report that late.
    const problems = await takeFirst()
    if (problems.every(isAborted)) problems.push(...(await takeFirst()))
    t.match(
      problems.filter((problem) => !isAborted(problem)),
      [/thrown in the inbox/]
    )
  }
  await page.goBack()
  await page.waitForURL('**/')
  await hydrated(page)
  await monitored(page)
  await page.goForward()
  await page.waitForURL('**/inbox')
  t.equal(await page.evaluate(() => '$errors' in self), false)
  await countStored(app)
  t.notOk(app.inbox!.stats().stored.event, 'no error of the inbox is stored')
})
