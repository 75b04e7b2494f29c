import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import t from 'tap'
import { hydrated, launchBrowser, openTab, textOf, until, type Tab } from '@hull/test-helpers/browser.ts'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { monitored } from '@hull/test-helpers/monitored.ts'

/** A way to cause an error: the page, the button, and the file with the cause. */
interface Breakage {
  path: string
  button?: string
  file: string
  says: RegExp
}

const BREAKAGES: Breakage[] = [
  { path: '/lab/error/data', file: 'client/pages/lab/error/data.tsx', says: /getData throws/ },
  { path: '/lab/error/render', file: 'client/pages/lab/error/render.tsx', says: /error\/render was asked for/ },
  { path: '/lab/error/hydrate', file: 'client/pages/lab/error/hydrate.tsx', says: /throws in the browser/ },
  { path: '/lab/error/click', button: 'Throw', file: 'client/pages/lab/error/click.tsx', says: /the handler throws/ },
  {
    path: '/lab/error/promise',
    button: 'Reject',
    file: 'client/pages/lab/error/promise.tsx',
    says: /nobody handles this rejection/
  },
  { path: '/lab/flaky?fail=9', file: 'client/pages/lab/flaky.tsx', says: /failed after 4 attempts: answered 503/ }
]

const browser = await launchBrowser(t)

t.test('starts with an empty folder, and shows the cause of each error of the lab, and a regression', async (t) => {
  const server = await startServer(t)
  const inbox = await openTab(t, browser, { origin: server.origin })
  const lab = await openTab(t, browser, { origin: server.origin })
  const { page } = inbox

  while (server.printed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await page.goto(server.printed[0]!.split(' ').at(-1)!)
  await inbox.press(page.getByRole('button', { name: 'Open the inbox' }))
  await hydrated(page)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Issues' }).click()
  await page.getByText('No unresolved issues').waitFor()
  await page.evaluate(() => Object.assign(self, { sameDocument: true }))

  await t.test('each error becomes an issue in the open list', async (t) => {
    for (const [i, { path, button, says }] of BREAKAGES.entries()) {
      await causeError(lab, path, button)
      // In an empty list the first issue appears immediately; later ones are shown after a click.
      if (i > 0) await page.getByRole('button', { name: 'Show 1 new issue' }).click()
      await page.locator('tr[data-row]', { hasText: says }).waitFor()
      t.equal(await page.locator('tr[data-row]').count(), i + 1, path)
    }
    t.equal(await page.evaluate(() => 'sameDocument' in self), true, 'without a reload')
  })

  await t.test('each issue shows the line that threw', async (t) => {
    for (const { file, says } of BREAKAGES) {
      await page.locator('tr[data-row]', { hasText: says }).getByRole('link').click()
      await page.getByRole('heading', { name: 'Stack' }).waitFor()
      t.match(await page.locator('.issue-head').innerText(), file)
      const { place, line } = await shownCause(page)
      t.match(place, file)
      t.ok(sourceOf(file).includes(line), `${file} has the line ${line}`)
      if (file.includes('/error/')) t.match(line, 'new Error(', file)
      await page.goBack()
      await page.getByRole('heading', { name: /^Issues/ }).waitFor()
    }
  })

  await t.test('the trace of a fetch that failed has its four attempts', async (t) => {
    await page
      .locator('tr[data-row]', { hasText: BREAKAGES.at(-1)!.says })
      .getByRole('link')
      .click()
    const trace = page.getByRole('region', { name: 'Trace' })
    await trace.scrollIntoViewIfNeeded()
    const row = trace.getByRole('link', { name: /lab-api.*4 attempts: failed, failed, failed, failed/ })
    await row.waitFor()
    t.same(await row.locator('.waterfall-attempt').allTextContents(), ['1', '2', '3', '4'])
    t.equal(await trace.locator('.waterfall-notch-current').count(), 1, 'the error is marked in the trace')
  })

  await t.test('a resolved issue whose error happens again has regressed', async (t) => {
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByText('1 issue resolved.').waitFor()
    t.match(await page.locator('.issue-above').innerText(), 'Resolved')
    await causeError(lab, '/lab/flaky?fail=9')
    await page.getByRole('link', { name: 'A newer event arrived: show it' }).click()
    await until(page, () => document.querySelector('.issue-above')!.textContent!.includes('Regressed'))
    t.match(await textOf(page), /Brought back|Regressed/)
    t.match(await page.locator('.figures').innerText(), /Events\s+2/)
    t.equal(await page.evaluate(() => 'sameDocument' in self), true, 'without a reload')
  })

  t.equal(server.takeErrors().length, 4, 'the server logged each of its own errors once')
  // Prefetches, and the live stream of a page that was left, are aborted.
  t.same(
    (await inbox.take()).filter((line) => !line.endsWith('net::ERR_ABORTED')),
    []
  )
})

/** Causes an error on a page of the lab, and ignores its effects on that page. */
async function causeError(lab: Tab, path: string, button?: string) {
  await lab.page.goto(path)
  if (button !== undefined) {
    await hydrated(lab.page)
    await lab.page.getByRole('button', { name: button }).click()
  }
  if (path.includes('hydrate')) await monitored(lab.page)
  if (/hydrate|click|promise/.test(path)) await lab.takeFirst()
  else await lab.take()
}

/** Returns the innermost frame of the application, and its highlighted line. */
async function shownCause(page: Page) {
  const frame = page.locator('.frame-own').first()
  const failing = frame.locator('.source-failing')
  const number = await failing.locator('.source-number').innerText()
  const text = (await failing.textContent())!
  return { place: await frame.locator('summary').innerText(), line: text.slice(number.length).trim() }
}

const sourceOf = (file: string) => readFileSync(join(import.meta.dirname, '../../../../..', file), 'utf8')
