import { readFileSync } from 'node:fs'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { stored } from '@hull/test-helpers/inbox.ts'
import { createRawEvent } from '../../helpers/writer.ts'
import { seedFolder, sendEvents, sendItems, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)

t.test('an issue, in a browser', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const { issues } = await app.inbox!.queries.listIssues({
    view: { since: 0, until: Date.now() },
    query: '"could not be placed"'
  })
  const path = `/inbox/issues/${issues[0]!.id}`

  t.test('shows the older and the newer event without scrolling', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open(path)
    await hydrated(page)
    await page.evaluate(() => scrollTo(0, 300))
    await page.getByRole('link', { name: 'Older event' }).click()
    await page.waitForURL(/event=/)
    await page.getByRole('link', { name: 'Newer event' }).waitFor()
    t.equal(await page.evaluate(() => scrollY), 300)
    await page.goBack()
    await page.getByRole('link', { name: 'Newer event' }).waitFor({ state: 'detached' })
  })

  t.test('keeps a comment that is being written while another form changes the page', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    const others = await app.inbox!.queries.listIssues({ view: { since: 0, until: Date.now() }, query: '-placed' })
    await open(`/inbox/issues/${others.issues[0]!.id}`)
    await hydrated(page)
    const field = page.getByRole('textbox', { name: 'Comment', exact: true }).first()
    await field.fill('It was the disk.')
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByRole('button', { name: 'Unfollow', exact: true }).waitFor()
    t.equal(await field.inputValue(), 'It was the disk.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    await page.locator('.comment', { hasText: 'It was the disk.' }).waitFor()
    t.equal(await field.inputValue(), '')
  })

  t.test('shows a comment without running its scripts, and edits it', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open(path)
    await hydrated(page)
    const script = '<script>document.title = "run"</script><img src=x onerror="document.title = \'run\'">'
    await page.getByRole('textbox', { name: 'Comment', exact: true }).first().fill(`**Seen** ${script}`)
    await page.getByRole('button', { name: 'Add comment' }).click()
    const comment = page.locator('.comment').first()
    await comment.locator('strong', { hasText: 'Seen' }).waitFor()
    t.match(await comment.innerText(), script)
    t.not(await page.title(), 'run')
    await page.locator('summary', { hasText: 'Edit' }).first().click()
    const menu = page.locator('.comment-menu').first()
    await menu.getByRole('textbox').fill('*Read*')
    await menu.getByRole('button', { name: 'Save' }).click()
    await comment.locator('em', { hasText: 'Read' }).waitFor()
    await page.getByText('commented (edited)').waitFor()
    await page.locator('summary', { hasText: 'Edit' }).first().click()
    await menu.getByRole('button', { name: 'Delete' }).click()
    await comment.waitFor({ state: 'detached' })
  })

  t.test('downloads an attachment without running its scripts', async (t) => {
    const script = "<script>document.title = 'run'; fetch('/run-by-the-attachment')</script>"
    const event = createRawEvent(thrown('WithHtml'))
    const header = { type: 'attachment', filename: '<b>page</b>.html', content_type: 'text/html' }
    await sendItems(app, [
      [{ type: 'event' }, event],
      [header, `<!doctype html><title>page</title>${script}`]
    ])
    await stored(app, 'attachment')
    const located = await app.inbox!.queries.locate({ text: event['event_id'] as string })
    const tab = await openInboxTab(t, browser, { app, origin })
    const { page, open } = tab
    await open(`/inbox/issues/${(located as { issue: number }).issue}`)
    await hydrated(page)
    const link = page.getByRole('link', { name: '<b>page</b>.html' })
    const address = (await link.getAttribute('href'))!
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    t.match(download.suggestedFilename(), /\.html$/)
    t.match(readFileSync(await download.path(), 'utf8'), script)

    // Opening the address does not show the file either.
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate((address) => {
        location.assign(address)
      }, address)
    ])
    await again.cancel()
    t.not(await page.title(), 'run')
    const headers = await page.evaluate(async (address) => {
      const response = await fetch(address)
      return { type: response.headers.get('content-type'), sniff: response.headers.get('x-content-type-options') }
    }, address)
    t.same(headers, { type: 'application/octet-stream', sniff: 'nosniff' })
    t.notOk(tab.requests.some((request) => request.url().includes('run-by-the-attachment')))
    await tab.take()
  })

  t.test('is copied as a link and as Markdown', async (t) => {
    const tab = await openInboxTab(t, browser, { app, origin, permissions: ['clipboard-read', 'clipboard-write'] })
    const { page, open } = tab
    await page.clock.install()
    await open(path)
    await hydrated(page)
    await page.clock.pauseAt(Date.now() + 60_000)
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    const link = page.getByRole('button', { name: 'Copy link' })
    const markdown = page.getByRole('button', { name: 'Copy as Markdown' })
    await link.click()
    await link.getByText('Copied').waitFor()
    t.equal(await page.getByRole('button', { name: 'Copied' }).count(), 0, 'only the status says it to a screen reader')
    t.equal(await page.getByRole('status').filter({ hasText: 'Copied' }).count(), 1)
    t.match(await copied(), new RegExp(`^${origin}${path}\\?event=[\\da-f]{32}$`))
    await markdown.click()
    await markdown.getByText('Copied').waitFor()
    t.match(await copied(), /^# Error: order \d+ could not be placed\n[^]*at placeOrder \(lib\/orders\.ts:11:5\)/)
    await page.clock.runFor(2_000)
    await link.getByText('Copied').waitFor({ state: 'detached' })
  })

  t.test('opens one menu at a time, and closes it with Escape or a click elsewhere', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open(path)
    await hydrated(page)
    const opened = page.locator('details.menu[open]')
    await page.locator('summary', { hasText: 'More ways to resolve' }).click()
    await page.getByRole('button', { name: 'In the next release' }).waitFor()
    await page.locator('summary', { hasText: 'Delete' }).click()
    t.equal(await opened.count(), 1)
    await page.keyboard.press('Escape')
    t.equal(await opened.count(), 0)
    t.match(await page.evaluate(() => document.activeElement?.textContent), 'Delete')
    await page.locator('summary', { hasText: 'Delete' }).click()
    await page.locator('h1').click()
    t.equal(await opened.count(), 0)
  })

  t.test('says that a newer event arrived, and shows it after a click', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await sendEvents(app, [thrown('NewerError', 'the first')])
    const { issues } = await app.inbox!.queries.listIssues({
      view: { since: 0, until: Date.now() + 1_000 },
      query: 'NewerError'
    })
    await open(`/inbox/issues/${issues[0]!.id}`)
    await hydrated(page)
    await page.waitForTimeout(500)
    const shown = () => page.locator('code.digest').first().innerText()
    const before = await shown()
    await sendEvents(app, [thrown('NewerError', 'the first')])
    const link = page.getByRole('link', { name: 'A newer event arrived: show it' })
    await link.waitFor()
    t.equal(await shown(), before, 'before a click')
    await link.click()
    await page.locator('code.digest', { hasText: before }).waitFor({ state: 'detached' })
    await link.waitFor({ state: 'detached' })
  })

  t.test('fits a phone, even with a long name of a tag', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 390, height: 700 } })
    await sendEvents(app, [{ ...thrown('LongTagError'), tags: { [`payment.${'provider_'.repeat(6)}region`]: 'eu' } }])
    const { issues } = await app.inbox!.queries.listIssues({
      view: { since: 0, until: Date.now() + 1_000 },
      query: 'LongTagError'
    })
    for (const path of [`/inbox/issues/${issues[0]!.id}`, `/inbox/issues/${issues[0]!.id}/tags`]) {
      await open(path)
      await page.getByRole('link', { name: /^payment\./ }).waitFor()
      t.equal(await overflow(page), 0, path)
    }
  })

  t.test('is resolved with a key', async (t) => {
    const { page, open, take } = await openInboxTab(t, browser, { app, origin })
    await open(path)
    await hydrated(page)
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.getByText('1 issue reopened.').waitFor()
    // Both changes also caused live updates, so a request for the data may still be in progress.
    await take()
  })

  t.test('prints the whole stack, without buttons', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open(path)
    await page.emulateMedia({ media: 'print' })
    for (const name of ['Resolve', 'Ignore', 'Copy link'])
      t.equal(await page.getByRole('button', { name, exact: true }).isVisible(), false, name)
    t.equal(await page.locator('.source-failing').first().isVisible(), true)
    t.equal(await page.locator('.inbox-pickers').isVisible(), false)
  })
})
