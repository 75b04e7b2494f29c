import type { Page } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { seedFolder, sendEvents, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'

const browser = await launchBrowser(t)

t.test('a change keeps the focus and the scroll position', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })

  t.test('the next row has the focus after a row was changed with a key', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const [, second, third] = await rowIds(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    await page.waitForFunction((id) => document.activeElement?.closest('tr')?.dataset.row === id, third)
    t.notOk((await rowIds(page)).includes(second))
    await page.keyboard.press('k')
    t.equal(await focusedRow(page), (await rowIds(page))[0])
  })

  t.test('the row after the selected ones has the focus after they were changed', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    const ids = await rowIds(page)
    const boxes = page.locator('td input[type=checkbox]')
    await boxes.nth(ids.length - 1).check()
    await boxes.nth(ids.length - 2).check()
    await page.locator('.bulk').getByRole('button', { name: 'Ignore', exact: true }).click()
    await page.getByText('2 issues ignored.').waitFor()
    await page.waitForFunction((id) => document.activeElement?.closest('tr')?.dataset.row === id, ids.at(-3))
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByText('2 issues restored.').waitFor()
    await page.waitForFunction((id) => document.activeElement?.closest('tr')?.dataset.row === id, ids[0])
  })

  t.test('the list does not move, and the notice is inside the window', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 390, height: 700 } })
    await open('/inbox/issues')
    await hydrated(page)
    const top = async () => (await page.locator('table.issues').boundingBox())!.y
    const before = await top()
    await page.keyboard.press('j')
    await page.keyboard.press('e')
    await page.getByText('1 issue resolved.').waitFor()
    t.equal(await top(), before)
    const notice = (await page.locator('.change-notice').boundingBox())!
    t.ok(notice.x >= 0 && notice.x + notice.width <= 390 && notice.y + notice.height <= 700)
  })

  t.test('on the page of an issue no button moves, and going back opens the previous page', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues')
    await hydrated(page)
    await page.locator('[data-row-link]').first().click()
    await page.getByRole('heading', { name: 'Stack' }).waitFor()
    const places = () =>
      page
        .locator('.issue-changes > .button, .issue-changes > .split, .issue-changes > .menu, .issue-head h1')
        .evaluateAll((elements) => elements.map((element) => JSON.stringify(element.getBoundingClientRect())))
    const before = await places()
    const entries = await page.evaluate(() => history.length)
    const resolve = (await page.getByRole('button', { name: 'Resolve', exact: true }).boundingBox())!
    await page.mouse.dblclick(resolve.x + 5, resolve.y + 5, { delay: 20 })
    await page.getByText('1 issue resolved.').waitFor()
    t.same(await places(), before)
    t.equal(await page.evaluate(() => history.length), entries)
    t.same(await findObstacles(page), [])
    await page.mouse.click(resolve.x + 5, resolve.y + 5)
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.getByText('1 issue reopened.').waitFor()
    await page.goBack()
    await page.waitForURL(/\/inbox\/issues$/)
  })

  t.test('the pressed control has the focus after a comment, Follow, and a change of the time range', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues/2')
    await hydrated(page)
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).innerText)
    const add = page.getByRole('button', { name: 'Add comment' })
    const change = page.locator('.comment-menu > summary')
    const entries = await page.evaluate(() => history.length)
    await page.getByLabel('Comment').fill('first words')
    await add.press('Enter')
    await page.locator('.comment').getByText('first words').waitFor()
    t.equal(await focused(), 'Add comment')
    await change.press('Enter')
    await page.locator('.comment-menu textarea').fill('other words')
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter')
    await page.locator('.comment').getByText('other words').waitFor()
    t.ok(await change.evaluate((element) => element === document.activeElement))
    await change.press('Enter')
    await page.locator('.comment-menu').getByRole('button', { name: 'Delete' }).press('Enter')
    await page.locator('.comment').waitFor({ state: 'detached' })
    t.equal(await focused(), 'Add comment')
    // The author of a comment follows the issue.
    await page.getByRole('button', { name: 'Unfollow' }).press('Enter')
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor()
    t.equal(await focused(), 'Follow')
    const time = page.locator('.inbox-pickers summary').last()
    await time.press('Enter')
    await page.getByRole('link', { name: 'Last 7 days' }).press('Enter')
    await time.getByText('7 days').waitFor()
    t.ok(await time.evaluate((element) => element === document.activeElement))
    t.equal(await page.evaluate(() => history.length), entries + 1, 'going back shows the page before the time range')
  })

  t.test('a saved form keeps the focus and the scroll position', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin, viewport: { width: 390, height: 400 } })
    await open('/inbox/settings/projects/1')
    await hydrated(page)
    const button = page.getByRole('button', { name: 'Save repository' })
    await button.focus()
    const before = await button.boundingBox()
    await page.keyboard.press('Enter')
    await page.getByText('Repository saved.').waitFor()
    t.same(await button.boundingBox(), before)
    t.ok(await button.evaluate((element) => element === document.activeElement))
    await page.getByRole('link', { name: 'People', exact: true }).click()
    await page.getByRole('heading', { name: 'People' }).waitFor()
    t.equal(await page.getByText('Repository saved.').count(), 0)
    await page.goBack()
    await button.waitFor()
    t.equal(await page.getByText('Repository saved.').count(), 0, 'not shown again after going back')
  })

  t.test('going back from an issue that a search opened shows the page with the search', async (t) => {
    const { page, open } = await openInboxTab(t, browser, { app, origin })
    await open('/inbox/issues/2')
    await hydrated(page)
    await page.locator('[data-search]').fill('#5')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/inbox\/issues\/5$/)
    await page.goBack()
    await page.waitForURL(/\/inbox\/issues\/2$/)
  })
})

t.test('a change on a later page of the list stays on that page', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  await open('/inbox')
  await sendEvents(
    app,
    Array.from({ length: 26 }, (_, i) => thrown(`Kind${String.fromCharCode(65 + i)}Error`))
  )
  await open('/inbox/issues?q=&range=30d')
  await hydrated(page)
  await page.getByRole('link', { name: 'Next', exact: true }).click()
  // The first page also has rows, and the address changes before the rows.
  await page.getByRole('link', { name: 'Previous', exact: true }).waitFor()
  const ids = await rowIds(page)
  await page.keyboard.press('j')
  await page.keyboard.press('i')
  await page.getByText('1 issue ignored.').waitFor()
  t.same((await rowIds(page)).slice(0, 1), ids.slice(0, 1))
})

const rowIds = (page: Page) =>
  page.locator('tr[data-row]').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.row))

const focusedRow = (page: Page) => page.evaluate(() => document.activeElement?.closest('tr')?.dataset.row)
