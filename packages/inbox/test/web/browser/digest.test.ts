import type { Page } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { startBreaking } from '@hull/test-helpers/breaking.ts'
import { hydrated, launchBrowser, openTab, until } from '@hull/test-helpers/browser.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { monitored } from '@hull/test-helpers/monitored.ts'

const browser = await launchBrowser(t)

/** Returns the digest on the page, once it differs from the previous one. */
async function digestOf(page: Page, last = ''): Promise<string> {
  await until(page, (old) => (document.querySelector('.digest')?.textContent ?? old) !== old, last)
  return page.locator('.digest').innerText()
}

t.test('the digest of an error in the browser leads to its event in the inbox, each time it is shown', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { INBOX_PASSWORD } })
  const { page, open, take } = await openTab(t, browser, { origin })
  // The first error is shown before the SDK is loaded, the second one afterwards.
  await open('/lab/error/hydrate')
  const first = await digestOf(page)
  await monitored(page)
  await page.getByRole('button', { name: 'Try again' }).click()
  const second = await digestOf(page, first)
  t.match(first, /^Digest: [0-9A-Z]{12}$/)
  await stored(app, 'event', 2)
  await take()

  const inbox = await openInboxTab(t, browser, { app, origin })
  for (const digest of [first, second].map((line) => line.slice('Digest: '.length))) {
    await inbox.open('/inbox')
    await hydrated(inbox.page)
    await inbox.page.getByRole('searchbox').fill(digest)
    await inbox.page.getByRole('searchbox').press('Enter')
    await inbox.page.getByText(`digest ${digest}`).waitFor()
    t.match(inbox.page.url(), /\/inbox\/issues\/\d+\?event=/)
  }
})

t.test('an error with its own digest, and a redirect that is not followed, have a digest that is found', async (t) => {
  const { app, origin } = await startBreaking(t, { env: { INBOX: 'on' } })
  let count = 0
  for (const path of ['/thrown/render/error', '/thrown/effect/error', '/thrown/effect/script', '/ring/a?by=effect']) {
    const { page, open, take } = await openTab(t, browser, { origin })
    await open(path)
    const line = await digestOf(page)
    t.notMatch(line, 'of-a-library')
    await monitored(page)
    count = Math.max(count + 1, app.inbox!.stats().stored.event ?? 0)
    await stored(app, 'event', count)
    const located = await app.inbox!.queries.locate({ text: line.slice('Digest: '.length) })
    t.match(located, { kind: 'event' }, path)
    await take()
  }
})

t.test('shows no digest that is not stored', async (t) => {
  t.test('without error reporting', async (t) => {
    const { origin } = await startBreaking(t)
    const { page, open, take } = await openTab(t, browser, { origin })
    await open('/thrown/effect/error')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    t.equal(await page.locator('.digest').count(), 0)
    await take()
  })

  t.test('if the SDK cannot be loaded', async (t) => {
    const { origin } = await startBreaking(t, { env: { INBOX: 'on' } })
    const { page, open, take } = await openTab(t, browser, { origin })
    await page.route('**/assets/open-*.js', (route) => route.abort())
    await open('/')
    await hydrated(page)
    await monitored(page)
    await page.evaluate(() => {
      const link = Object.assign(document.createElement('a'), { href: '/thrown/effect/error' })
      document.body.append(link)
      link.click()
    })
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    t.equal(await page.locator('.digest').count(), 0)
    await take()
  })
})
