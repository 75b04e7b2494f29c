import t from 'tap'
import { createListeningApp } from '../../helpers/app.ts'
import { findObstacles, overflow } from '../../helpers/axe.ts'
import { hydrated, launchBrowser, type Tab } from '../../helpers/browser.ts'
import { createFolder } from '../../helpers/folder.ts'
import { INBOX_PASSWORD } from '../../helpers/inbox-visitor.ts'
import { seedFolder } from '../../helpers/inbox-screens.ts'
import { openInboxTab } from '../../helpers/inbox-tab.ts'

const browser = await launchBrowser(t)

const SCREENS: [name: string, path: string, then?: (tab: Tab) => Promise<unknown>][] = [
  ['the overview', '/inbox?range=7d'],
  ['the issues', '/inbox/issues', ({ page }) => page.locator('td input[type=checkbox]').first().check()],
  ['a wrong search', '/inbox/issues?q=is:open'],
  ['a search without an answer', '/inbox/issues?q=nothingislikethis'],
  ['an issue', '/inbox/issues/8', ({ page }) => page.locator('summary', { hasText: 'Delete' }).click()],
  ['an issue of strange texts', '/inbox/issues/38'],
  ['the keys', '/inbox/issues', ({ page }) => page.keyboard.press('?')],
  ['a picker', '/inbox', ({ page }) => page.locator('summary', { hasText: 'Time' }).click()]
]

t.test('nothing stands in the way of', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const tab = await openInboxTab(t, browser, { app, origin, colorScheme, viewport: { width, height: 800 } })
      for (const [name, path, then] of SCREENS) {
        t.test(`${name}, ${colorScheme}, ${width} px wide`, async (t) => {
          await tab.open(path)
          await hydrated(tab.page)
          await then?.(tab)
          t.same(await findObstacles(tab.page), [])
          t.equal(await overflow(tab.page), 0, 'it does not scroll sideways')
          t.same(await tab.take(), [])
        })
      }
    }
  }
})

t.test('nothing stands in the way of an inbox that is empty', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const tab = await openInboxTab(t, browser, { app, origin })
  for (const path of ['/inbox', '/inbox/issues']) {
    await tab.open(path)
    await hydrated(tab.page)
    t.same(await findObstacles(tab.page), [])
  }
})
