import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findCutBoxes, findObstacles, findUnseenShapes, openEverything, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, type Tab } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { seedFolder } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { findInboxScreens, INBOX_ENTRANCES, INBOX_MISSING } from '../../helpers/screen-list.ts'

const browser = await launchBrowser(t)

/** Turns transitions off: while colours change to those of the other theme, their contrast is too low. */
const reducedMotion = 'reduce'

/** Pages with an action before the check. */
const STATES: [path: string, then: (tab: Tab) => Promise<unknown>][] = [
  ['/inbox/issues', ({ page }) => page.locator('td input[type=checkbox]').first().check()],
  ['/inbox/issues', ({ page }) => page.keyboard.press('?')],
  [
    '/inbox/settings/people',
    async ({ page }) => {
      await page.getByRole('button', { name: 'Create link' }).click()
      await page.locator('code', { hasText: '/inbox/invitation' }).first().waitFor()
    }
  ]
]

t.test('axe finds nothing on', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const screens = await findInboxScreens(await signIn(app))
  const tab = await openInboxTab(t, browser, { app, origin, reducedMotion })
  const guest = await openTab(t, browser, { origin, reducedMotion })

  for (const path of screens) {
    t.test(path, async (t) => {
      await tab.open(path)
      // The style sheets of the settings set no colours for forced colours, and the browser sets all others.
      await check(t, tab, { hasForcedColours: !path.startsWith('/inbox/settings/') })
    })
  }
  for (const [path, then] of STATES) {
    t.test(`${path} in use`, async (t) => {
      await tab.open(path)
      await hydrated(tab.page)
      await then(tab)
      await check(t, tab, { isOpened: false })
    })
  }
  for (const path of INBOX_MISSING) {
    t.test(path, async (t) => {
      await tab.open(path, 404)
      await check(t, tab)
    })
  }
  for (const path of INBOX_ENTRANCES) {
    t.test(`${path} before a sign-in`, async (t) => {
      const response = await guest.page.goto(path)
      guest.seen(response!.status())
      await check(t, guest)
    })
  }
})

t.test('axe finds nothing in an empty inbox', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const tab = await openInboxTab(t, browser, { app, origin, reducedMotion })
  for (const path of ['', '/issues', '/traces', '/vitals', '/releases']) {
    t.test(path, async (t) => {
      await tab.open(`/inbox${path}`)
      await check(t, tab)
    })
  }
})

/**
 * Loads a document once, and checks it in each theme and width. All rules are applied at 1280 px, and at 320 px to
 * everything that opens; at other widths only rules whose result depends on sizes or colours. If nothing is opened, all
 * rules are also applied at 390 px. floats.test.ts measures the targets in menus.
 */
async function check(t: Test, { page, take }: Tab, { isOpened = true, hasForcedColours = false } = {}) {
  // The pages of the sign-in have no script.
  if ((await page.locator('script[type=module]').count()) > 0) await hydrated(page)
  const fit = async (width: number) => {
    await page.setViewportSize({ width, height: 800 })
    t.equal(await overflow(page), 0, `the page does not scroll sideways at ${width} px`)
    t.same(await findCutBoxes(page), [], `no text is cut at ${width} px`)
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  await fit(1280)
  t.same(await findObstacles(page), [], 'at 1280 px, light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await fit(390)
  t.same(await findObstacles(page, isOpened ? { only: 'colours' } : {}), [], 'at 390 px, dark')
  await fit(320)
  t.same(await findObstacles(page, { only: 'sizes' }), [], 'at 320 px')
  if (isOpened) {
    await openEverything(page)
    const within = page.locator('details')
    if ((await within.count()) > 0)
      t.same(await findObstacles(page, { areMenusOpen: true, within }), [], 'with all menus open')
    await page.emulateMedia({ forcedColors: 'active' })
    if (hasForcedColours) t.same(await findObstacles(page, { only: 'colours' }), [], 'in forced colours')
    t.same(await findUnseenShapes(page), [], 'bars, lines and marks in forced colours')
  }
  t.same(await take(), [])
}
