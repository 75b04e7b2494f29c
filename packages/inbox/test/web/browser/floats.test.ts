import type { Locator, Page } from 'playwright'
import t from 'tap'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser } from '@hull/test-helpers/browser.ts'
import { seedFolder } from '../../helpers/screens.ts'
import { openInboxTab } from '../../helpers/tab.ts'
import { signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { acceptInvitation } from '../../helpers/invitation.ts'

const browser = await launchBrowser(t)

/** Paths of the screens, and the fewest things that open on each. */
const SCREENS: [path: string, least: number][] = [
  ['/inbox', 5],
  ['/inbox/issues', 9],
  ['/inbox/issues?release=1.4.1&environment=production&project=1', 9],
  ['/inbox/issues/8', 8],
  ['/inbox/issues/8/events', 5],
  ['/inbox/traces', 5],
  ['/inbox/vitals', 5],
  ['/inbox/releases', 5],
  ['/inbox/doctor', 1],
  ['/inbox/account', 1],
  ['/inbox/settings', 1],
  ['/inbox/settings/projects/2', 3],
  ['/inbox/settings/people', 2],
  ['/inbox/settings/people/2', 2],
  ['/inbox/settings/storage', 1]
]

/** A small telephone, a telephone, a tablet, a desk. */
const WIDTHS = [320, 390, 800, 1280]

/** Where the targets inside of what opens are measured: rows are as high on wider windows. */
const SMALL_WIDTH = 390

t.test('everything that opens stays inside the window', async (t) => {
  const { app, origin } = await createListeningApp(t, { env: seedFolder(t) })
  const { page, open } = await openInboxTab(t, browser, { app, origin })
  await acceptInvitation(app, await signIn(app), 'viewer', 'Grace')
  for (const [path, least] of SCREENS) {
    t.test(path, async (t) => {
      await open(path)
      await hydrated(page)
      const box = page.locator('td.issues-box input').first()
      if (await box.isVisible()) await box.check()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 700 })
        t.equal(await overflow(page), 0, `fits ${width} px`)
        const { opened, outside, small } = await openAll(page, width === SMALL_WIDTH)
        t.same(outside, [], `opens inside ${width} px`)
        t.same(small, [], 'targets of 24 px')
        t.ok(opened >= least, `${opened} things opened`)
      }
    })
  }
})

/** Opens everything that opens on a page, one after the other, and measures it. @param areTargets and the targets in it */
async function openAll(page: Page, areTargets: boolean) {
  const outside: string[] = []
  const small: string[] = []
  const openers = page.locator('.menu > summary:visible, .confirm > summary:visible')
  const opened = await openers.count()
  for (const opener of await openers.all()) {
    await opener.click()
    const box = opener.locator('xpath=following-sibling::*')
    await box.scrollIntoViewIfNeeded()
    const where = await measureOutside(box)
    if (where) outside.push(`${(await opener.innerText()).trim()}: ${where}`)
    if (areTargets) small.push(...(await findObstacles(page, { only: 'sizes', within: box })))
    await opener.click()
  }
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  const where = await measureOutside(dialog)
  if (where) outside.push(`the keys: ${where}`)
  if (areTargets) small.push(...(await findObstacles(page, { only: 'sizes', within: dialog })))
  await page.keyboard.press('Escape')
  return { opened, outside, small }
}

/** @returns how far a box reaches beyond each side of the window, where it does */
const measureOutside = (box: Locator) =>
  box.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    const { clientWidth, clientHeight } = document.documentElement
    const beyond = { left: -left, top: -top, right: right - clientWidth, bottom: bottom - clientHeight }
    return Object.entries(beyond)
      .filter(([, pixels]) => pixels > 0)
      .map(([side, pixels]) => `${Math.ceil(pixels)} px beyond the ${side}`)
      .join(', ')
  })
