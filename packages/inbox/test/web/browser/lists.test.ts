import t from 'tap'
import type { Page } from 'playwright'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { seedFolder, sendEvents, sendItems, thrown } from '../../helpers/screens.ts'
import { findInboxScreens } from '../../helpers/screen-list.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'

const browser = await launchBrowser(t)
const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })

const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row ?? document.activeElement?.id
  )

t.test('a notice of a change is dismissed', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  const notice = page.locator('.change-notice')

  await t.test('with Escape, and the focus does not move', async (t) => {
    await open('/inbox/issues')
    await hydrated(page)
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('[data-row]'))
    const row = await focused(page)
    await page.keyboard.press('Escape')
    await notice.waitFor({ state: 'detached' })
    t.equal(await focused(page), row)
  })

  await t.test('with its button, and the focus returns to the row', async (t) => {
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('[data-row]'))
    const row = await focused(page)
    await notice.getByRole('button', { name: 'Dismiss' }).focus()
    await page.keyboard.press('Enter')
    await notice.waitFor({ state: 'detached' })
    t.equal(await focused(page), row)
    await sendEvents(app, [thrown('AfterDismissed')])
    await page.getByRole('button', { name: 'Show 1 new issue' }).waitFor()
    t.equal(await notice.count(), 0, 'not shown again with newer data')
  })

  await t.test('by leaving the page, and going back does not show it again', async (t) => {
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await page.locator('[data-row-link]').first().click()
    await page.getByRole('heading', { name: 'Stack' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: /^Issues/ }).waitFor()
    t.equal(await notice.count(), 0)
    await sendEvents(app, [thrown('AfterGoingBack')])
    await page.getByRole('button', { name: /^Show \d new issues?$/ }).waitFor()
    t.equal(await notice.count(), 0, 'not shown again with newer data')
    await page.keyboard.press('j')
  })

  await t.test('at 390 px, with a button that is large enough and covers nothing', async (t) => {
    await page.setViewportSize({ width: 390, height: 780 })
    await page.keyboard.press('i')
    await page.getByText('1 issue ignored.').waitFor()
    const button = notice.getByRole('button', { name: 'Dismiss' })
    const [box, undo] = [(await button.boundingBox())!, (await notice.getByText('Undo').boundingBox())!]
    t.ok(box.x >= 0 && box.x + box.width <= 390)
    t.ok(box.width >= 24 && box.height >= 24)
    t.ok(undo.x + undo.width <= box.x, 'beside Undo')
    await button.click()
    await notice.waitFor({ state: 'detached' })
  })
})

t.test('new log lines are shown after a click, or immediately with the live tail', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  const log = (body: string) =>
    sendItems(app, [[{ type: 'log' }, { items: [{ timestamp: Date.now() / 1_000, level: 'info', body }] }]])
  await open('/inbox/logs')
  await hydrated(page)
  await log('the first line')
  const button = page.getByRole('button', { name: 'Show 1 new line' })
  await button.waitFor()
  t.equal(await page.getByText('the first line').count(), 0)
  await button.press('Enter')
  await page.getByText('the first line').first().waitFor()
  t.match(
    await page.evaluate(() => document.activeElement?.textContent),
    /the first line$/,
    'the new line has the focus'
  )
  await page.getByRole('link', { name: 'Live tail' }).click()
  await page.getByRole('link', { name: 'Stop live tail' }).waitFor()
  await log('the second line')
  await page.getByText('the second line').first().waitFor()
})

t.test('breadcrumbs name the page, in one line at 390 px', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  const long = `Cannot read properties of undefined (reading ${'"checkout"'.repeat(8)})`
  await sendEvents(app, [thrown('LongNamedError', long)])
  await open('/inbox/issues?q=LongNamedError')
  const issue = await page.locator('[data-row-link]').first().getAttribute('href')
  await open('/inbox/traces')
  const trace = await page.locator('a[href^="/inbox/traces/"]').first().getAttribute('href')
  const name = await page.locator('a[href^="/inbox/traces/"]').first().innerText()
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    for (const [href, names] of [
      [issue!, ['Issues', /^LongNamedError: Cannot read/]],
      [`${issue!.split('?')[0]}/events`, ['Issues', /^LongNamedError: Cannot read/, 'Events']],
      [trace!, ['Traces', name]],
      ['/inbox/settings/projects/1', ['Projects', /./]]
    ] as const) {
      await open(href)
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
      const items = await crumbs.getByRole('listitem').allInnerTexts()
      t.equal(items.length, names.length, href)
      for (const [i, wanted] of names.entries()) t.match(items[i], wanted)
      t.equal(await crumbs.locator('[aria-current=page]').count(), 1)
      t.match(await crumbs.locator('[aria-current=page]').innerText(), names.at(-1)!)
      const { y, height, x, width: shown } = (await crumbs.boundingBox())!
      t.ok(height < 32, `one line of ${href} at ${width}: ${height}`)
      const boxes = await crumbs
        .getByRole('listitem')
        .evaluateAll((all) => all.map((li) => li.getBoundingClientRect().toJSON()))
      for (const box of boxes)
        t.ok(box.left >= x - 1 && box.right <= x + shown + 1 && box.top >= y - 1, 'inside the breadcrumbs')
      t.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
    }
  }
})

t.test('names without a space fit a phone', async (t) => {
  const name = 'ORGANISATIONPROJECTSENVIRONMENTSRELEASESDEPLOYSCOMMITSFILES'
  const now = Date.now() / 1_000
  const trace = { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) }
  const times = { start_timestamp: now - 1, timestamp: now }
  await sendEvents(app, [{ ...thrown('PhoneError'), release: name }])
  await sendItems(app, [
    [{ type: 'transaction' }, { transaction: `GET /${name}${name}`, contexts: { trace }, spans: [], ...times }],
    [{ type: 'check_in' }, { check_in_id: 'ef'.repeat(16), monitor_slug: name.slice(0, 50), status: 'ok' }]
  ])
  const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 390, height: 700 } })
  const admin = await signIn(app)
  const made = await admin.post('/inbox/settings', { intent: 'create', name })
  await admin.post('/inbox/settings/people', { intent: 'invite', role: 'member', project: 3 })
  await admin.post('/inbox/settings/tokens', { intent: 'create', name, scope: 'read' })
  const channel = { name, kind: 'webhook', target: `https://${name}.example/`, groupMinutes: 0, zone: 'UTC' }
  const { headers } = await admin.post('/inbox/settings/alerts', { intent: 'create-channel', ...channel })
  await open('/inbox/issues?q=PhoneError')
  const issue = (await page.locator('[data-row-link]').first().getAttribute('href'))!
  const settings = ['', '/people', '/people/2', '/tokens', '/alerts', '/alerts/thresholds']
  for (const path of [
    issue,
    '/inbox/traces',
    `/inbox/traces/${trace.trace_id}`,
    '/inbox/monitors',
    made.headers.location as string,
    headers.location as string,
    ...settings.map((part) => `/inbox/settings${part}`)
  ]) {
    await open(path)
    const wide = await page
      .locator('html, .table-wrap')
      .evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)
    t.equal(wide, 0, path)
  }
})

t.test('the ids of traces and the times in tables are on one line', async (t) => {
  const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 1280, height: 800 } })
  const events = (await findInboxScreens(await signIn(app))).find((path) => path.endsWith('/events'))!
  for (const [path, cells] of [
    [events, 'tbody a.mono'],
    ['/inbox/doctor', 'td[data-label="Last received"] time']
  ] as const) {
    await open(path)
    const all = page.locator(cells)
    t.ok((await all.count()) > 0, path)
    const lines = await all.evaluateAll((elements) => elements.map((element) => element.getClientRects().length))
    t.same(
      lines.filter((count) => count > 1),
      [],
      path
    )
  }
})
