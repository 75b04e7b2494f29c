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

/** Paths of pages, with the minimum number of menus and confirmations on each. */
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

/** Widths of a small phone, a phone, a tablet and a desktop, in CSS px. */
const WIDTHS = [320, 390, 800, 1280]

/** Width at which targets in menus are measured. Rows have the same height in wider windows. */
const SMALL_WIDTH = 390

t.test('every menu, confirmation and dialog opens inside the window', async (t) => {
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
        t.ok(opened >= least, `${opened} menus and confirmations`)
      }
    })
  }
})

const OPENERS = '.menu > summary:visible, .confirm > summary:visible'

/** Contents of menus whose targets are already measured. */
const measured = new Set<string>()

/**
 * Opens every menu, confirmation and dialog of a page, one after the other, and measures it.
 * @param areTargets whether the targets in it are measured, too
 */
async function openAll(page: Page, areTargets: boolean) {
  const boxes = await openEach(page)
  const small = areTargets ? await measureTargets(page) : []
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  const sides = await dialog.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect)
  if (areTargets && (await isNew(dialog))) small.push(...(await findObstacles(page, { only: 'sizes', within: dialog })))
  await page.keyboard.press('Escape')
  const { width, height } = page.viewportSize()!
  const outside = [...boxes, { name: 'the keys', sides }].flatMap(({ name, sides }) => {
    const { left, top, right, bottom } = sides
    const beyond = { left: -left, top: -top, right: right - width, bottom: bottom - height }
    const [side] = Object.entries(beyond).find(([, pixels]) => pixels > 0) ?? []
    return side ? `${name}: ${Math.ceil(beyond[side as keyof typeof beyond])} px beyond the ${side}` : []
  })
  return { opened: boxes.length, outside, small }
}

/**
 * Opens each menu and confirmation with a script, which is much faster than the mouse, and returns the positions of
 * their boxes.
 */
const openEach = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.menu > summary, .confirm > summary')]
      .filter((opener) => opener.checkVisibility({ visibilityProperty: true }))
      .map((opener) => {
        const box = opener.nextElementSibling!
        const nearest = { block: 'nearest', inline: 'nearest', behavior: 'instant' } as const
        opener.scrollIntoView(nearest)
        opener.click()
        box.scrollIntoView(nearest)
        const sides = box.getBoundingClientRect().toJSON() as DOMRect
        if (sides.width === 0) throw new Error(`${opener.innerText} opens nothing`)
        opener.click()
        return { name: opener.innerText.trim(), sides }
      })
  )

/** Opens each menu and confirmation with the mouse, and finds small targets in those that no earlier page had. */
async function measureTargets(page: Page) {
  const small: string[] = []
  for (const opener of await page.locator(OPENERS).all()) {
    const box = opener.locator('xpath=following-sibling::*')
    if (!(await isNew(box))) continue
    await opener.click()
    await box.scrollIntoViewIfNeeded()
    small.push(...(await findObstacles(page, { only: 'sizes', within: box })))
    await opener.click()
  }
  return small
}

/** Whether no earlier menu had the same content, apart from addresses, values and the marked choice. */
async function isNew(box: Locator) {
  const content = await box.evaluate((element) =>
    element.outerHTML.replaceAll(/ (href|id|for|name|value|aria-[a-z]+)="[^"]*"/g, '')
  )
  if (measured.has(content)) return false
  measured.add(content)
  return true
}
