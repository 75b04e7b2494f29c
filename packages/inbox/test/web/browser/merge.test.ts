import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { sendEvents, thrown } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'

const browser = await launchBrowser(t)

t.test('merging issues, in a browser', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const viewport = { width: 390, height: 844 }

  for (const javaScriptEnabled of [true, false]) {
    t.test(`on a dark screen of 390 px, script: ${javaScriptEnabled}`, async (t) => {
      const type = javaScriptEnabled ? 'Scripted' : 'Plain'
      // Another function has another grouping key.
      const at = (name: string) => ({
        stacktrace: { frames: [{ function: name, filename: `/app/src/${name}.ts`, lineno: 1, in_app: true }] }
      })
      const { page, open } = await openInboxTab(t, browser, {
        app,
        origin,
        viewport,
        javaScriptEnabled,
        colorScheme: 'dark'
      })
      await sendEvents(app, [
        thrown(`${type}Error`, 'first cause', at('pay')),
        thrown(`${type}Error`, 'first cause', at('pay')),
        thrown(`${type}Error`, 'second cause', at('refund'))
      ])
      const ready = () => (javaScriptEnabled ? hydrated(page) : Promise.resolve())
      await open('/inbox/issues')
      await ready()
      await page
        .locator('[data-row]', { hasText: `${type}Error` })
        .filter({ hasText: 'second cause' })
        .locator('[data-row-link]')
        .click()
      await page.getByRole('heading', { name: 'Stack' }).waitFor()
      await page.getByRole('link', { name: 'Merge' }).click()
      await page.getByRole('heading', { name: 'Issues of the same type' }).waitFor()
      t.equal(await overflow(page), 0, 'the first step fits')

      await page.getByRole('searchbox', { name: 'Search for issues to merge' }).fill('nothing is called so')
      await page.getByRole('search', { name: 'Issues to merge' }).getByRole('button', { name: 'Search' }).click()
      await page.getByText('No other issues of this project found.').waitFor()
      await page.getByRole('searchbox', { name: 'Search for issues to merge' }).fill(`${type}Error`)
      await page.getByRole('search', { name: 'Issues to merge' }).getByRole('button', { name: 'Search' }).click()
      await page.getByRole('link', { name: 'Add to the merge' }).click()

      await page.getByRole('group', { name: 'Which issue stays?' }).waitFor()
      t.equal(await overflow(page), 0, 'the second step fits')
      if (javaScriptEnabled) t.same(await findObstacles(page), [])
      const choices = page.getByRole('radio')
      t.equal(await choices.count(), 2)
      t.ok(await choices.first().isChecked(), 'the issue with the most events is selected')
      t.match(await page.locator('label.merge-row').first().innerText(), 'first cause')
      await choices.last().check()
      await page.getByRole('button', { name: 'Merge 2 issues' }).click()

      await page.getByText('2 issues merged.').or(page.getByText('1 issue merged.')).waitFor()
      t.match(await page.locator('h1').innerText(), `${type}Error`)
      t.match(await page.locator('main').innerText(), 'second cause')
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
      await page.getByText(/issues? restored\./).waitFor()
      await open('/inbox/issues')
      t.equal(
        await page.locator('[data-row]', { hasText: `${type}Error` }).count(),
        2,
        'both issues are in the list again'
      )
    })
  }
})
