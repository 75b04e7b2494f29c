import t from 'tap'
import { OFFLINE_LINE } from '../../../../client/fallbacks/error-text.ts'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, type Tab } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

const at =
  (path: string, status?: number) =>
  ({ open }: Tab) =>
    open(path, status)

/** Screens, each with the steps that lead to it. */
const SCREENS: Array<[name: string, reach: (tab: Tab) => Promise<unknown>]> = [
  ['the home page', at('/')],
  ['the list of the lab', at('/lab')],
  ['a list of items', at('/lab/items')],
  ['a table', at('/lab/types')],
  ['a form with errors', refuseForm],
  ['401', at('/lab/unauthorized', 401)],
  ['403', at('/lab/forbidden', 403)],
  ['404', at('/nowhere', 404)],
  ['500', at('/lab/error/data', 500)],
  ['a page on its way', wait],
  ['a form that could not be sent', loseForm],
  ['a page without a connection', loseConnection]
]

t.test('axe finds nothing on', async (t) => {
  const { origin, logs } = await createListeningApp(t)

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const tab = await openTab(t, browser, { origin, colorScheme, viewport: { width, height: 800 } })
      for (const [name, reach] of SCREENS) {
        t.test(`${name}, ${colorScheme}, ${width} px wide`, async (t) => {
          await reach(tab)
          t.same(await findObstacles(tab.page), [])
          t.equal(await overflow(tab.page), 0, 'it does not scroll sideways')
          t.same(await tab.take(), [])
          logs.takeErrors()
        })
        // The last page may be one that is shown without a connection.
        await tab.page.context().setOffline(false)
      }
    }
  }
})

async function refuseForm({ page, open, seen }: Tab) {
  await open('/lab/form')
  await hydrated(page)
  await page.getByRole('button', { name: 'Send the claim' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /Check \d fields/ })
    .waitFor()
  seen(422)
}

/** A page that is still loading, with the progress bar. */
async function wait({ page, open }: Tab) {
  await open('/lab/slow?ms=0')
  await hydrated(page)
  await page.getByRole('link', { name: '5000 ms', exact: true }).click()
  await page.locator('.shell-progress').waitFor()
}

/** A form that could not be sent. */
async function loseForm({ page, open, take }: Tab) {
  await open('/lab/form')
  await hydrated(page)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Send the claim' }).click()
  await page.locator('.shell-notice').waitFor()
  await page.context().setOffline(false)
  await take()
}

/** A page that could not be loaded. */
async function loseConnection({ page, open, take }: Tab) {
  await open('/lab')
  await hydrated(page)
  await page.context().setOffline(true)
  await page.locator('a[href="/lab/items"]').first().click()
  await page.getByText(OFFLINE_LINE).waitFor()
  await take()
}
