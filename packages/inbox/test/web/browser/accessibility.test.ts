import t, { type Test } from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findCutBoxes, findObstacles, openEverything, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, type Tab } from '@hull/test-helpers/browser.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { seedFolder } from '@hull/test-helpers/inbox-screens.ts'
import { openInboxTab } from '@hull/test-helpers/inbox-tab.ts'
import { findInboxScreens, INBOX_ENTRANCES, INBOX_MISSING } from '@hull/test-helpers/screens.ts'

const browser = await launchBrowser(t)

/** Each theme once, at the last of its widths; at the others only sizes are measured. The smallest has everything open too, in forced colours. */
const WINDOWS = [
  { widths: [390, 320], colorScheme: 'dark' },
  { widths: [1280], colorScheme: 'light' }
] as const

/** Their tables of many columns scroll by themselves on a small window. */
const WIDE_TABLES = /\/events|\/traces$/

/** Screens on which something was done first. */
const STATES: [path: string, then: (tab: Tab) => Promise<unknown>][] = [
  ['/inbox/issues', ({ page }) => page.locator('td input[type=checkbox]').first().check()],
  ['/inbox/issues', ({ page }) => page.keyboard.press('?')]
]

t.test('axe finds nothing on', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const screens = await findInboxScreens(await signIn(app))
  for (const { widths, colorScheme } of WINDOWS) {
    const width = widths.at(-1)!
    const options = { origin, colorScheme, viewport: { width, height: 800 } }
    const tab = await openInboxTab(t, browser, { app, ...options })
    const stranger = await openTab(t, browser, options)
    const where = `${width} px wide, ${colorScheme}`
    const look = { widths, areMenusOpen: width === 320 }

    for (const path of screens) {
      t.test(`${path}, ${where}`, async (t) => {
        await tab.open(path)
        await check(t, tab, look)
      })
    }
    for (const [path, then] of STATES) {
      t.test(`${path} in use, ${where}`, async (t) => {
        await tab.open(path)
        await hydrated(tab.page)
        await then(tab)
        await check(t, tab, { widths })
      })
    }
    for (const path of INBOX_MISSING) {
      t.test(`${path}, ${where}`, async (t) => {
        await tab.open(path, 404)
        await check(t, tab, look)
      })
    }
    for (const path of INBOX_ENTRANCES) {
      t.test(`${path} before a sign-in, ${where}`, async (t) => {
        const response = await stranger.page.goto(path)
        stranger.seen(response!.status())
        await check(t, stranger, look)
      })
    }
  }
})

t.test('axe finds nothing in an empty inbox', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: { DATA_DIR: createFolder(t), INBOX_PASSWORD } })
  const tab = await openInboxTab(t, browser, { app, origin, viewport: { width: 320, height: 800 } })
  for (const path of ['', '/issues', '/traces', '/vitals', '/releases']) {
    await tab.open(`/inbox${path}`)
    await check(t, tab, { widths: [320], areMenusOpen: true })
  }
})

interface Look {
  widths: readonly number[]
  /** Everything that opens is opened too. @default false */
  areMenusOpen?: boolean
}

async function check(t: Test, { page, take }: Tab, { widths, areMenusOpen = false }: Look) {
  // the pages of the sign-in have no script
  if ((await page.locator('script[type=module]').count()) > 0) await hydrated(page)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    t.equal(await overflow(page), 0, `it does not scroll sideways at ${width} px`)
    if (!WIDE_TABLES.test(page.url())) t.same(await findCutBoxes(page), [], `nothing is cut at ${width} px`)
  }
  t.same(await findObstacles(page), [])
  if (areMenusOpen) {
    await page.emulateMedia({ forcedColors: 'active' })
    await openEverything(page)
    t.same(await findObstacles(page, { areMenusOpen }), [], 'with everything open, in forced colours')
    await page.emulateMedia({ forcedColors: null })
  }
  t.same(await take(), [])
}
