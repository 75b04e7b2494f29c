import t from 'tap'
import { OFFLINE_LINE } from '../../../../client/fallbacks/error-text.ts'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { findObstacles, overflow } from '@hull/test-helpers/axe.ts'
import { hydrated, launchBrowser, openTab, until, type Tab } from '@hull/test-helpers/browser.ts'

const browser = await launchBrowser(t)

const WIDE = 1280
const NARROW = 390

/**
 * Checks after the first one, which applies all rules to a wide, light screen. The narrow, dark screen gets all rules
 * again, the others get those for colours.
 */
const FURTHER_CHECKS = [
  ['dark', WIDE, 'colours'],
  ['dark', NARROW, undefined],
  ['light', NARROW, 'colours']
] as const

const at =
  (path: string, status?: number) =>
  ({ open }: Tab) =>
    open(path, status)

/** Screens, each with the steps that open it. */
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
  // axe would measure a colour in the middle of its transition.
  const tab = await openTab(t, browser, { origin, reducedMotion: 'reduce' })
  const { page } = tab

  for (const [name, reach] of SCREENS) {
    t.test(name, async (t) => {
      // The previous screen may be one that is offline.
      await page.context().setOffline(false)
      await show('light', WIDE)
      await reach(tab)
      t.same(await findObstacles(page), [])
      t.equal(await overflow(page), 0, 'the page does not scroll sideways')
      for (const [colorScheme, width, only] of FURTHER_CHECKS) {
        await show(colorScheme, width)
        t.same(await findObstacles(page, { only }), [], `${colorScheme}, ${width} px wide`)
        t.equal(await overflow(page), 0, `the page does not scroll sideways, ${colorScheme}, ${width} px wide`)
      }
      t.same(await tab.take(), [])
      logs.takeErrors()
    })
  }

  async function show(colorScheme: 'light' | 'dark', width: number) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
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

/** Clicks a link to a slow page, and waits for the progress bar. */
async function wait({ page, open }: Tab) {
  await open('/lab/slow?ms=0')
  await hydrated(page)
  await page.getByRole('link', { name: '5000 ms', exact: true }).click()
  await page.locator('.shell-progress').waitFor()
}

/** Sends a form without a connection, and waits for the notice. */
async function loseForm({ page, open, take }: Tab) {
  await open('/lab/form')
  await hydrated(page)
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Send the claim' }).click()
  await page.locator('.shell-notice').waitFor()
  await page.context().setOffline(false)
  await take()
}

/** Clicks a link without a connection, and waits for the error. */
async function loseConnection({ page, open, take }: Tab) {
  await open('/lab')
  await hydrated(page)
  await page.context().setOffline(true)
  await page.locator('a[href="/lab/items"]').first().click()
  await page.getByText(OFFLINE_LINE).waitFor()
  await take()
}

t.test('the outline of the focus is hidden only where the shell sets the focus', async (t) => {
  const { origin } = await createListeningApp(t)
  const { page, open } = await openTab(t, browser, { origin })
  await open('/lab')
  await hydrated(page)
  const outline = () => page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
  const link = page.locator('main a[href="/lab/form"]').first()
  await link.focus()
  await page.keyboard.press('Enter')
  await until(page, () => document.title.startsWith('Form') && document.activeElement?.id === 'main')
  t.equal(await outline(), 'none', 'main after a navigation')
  // As component libraries do for the items of a menu or a list.
  await page.evaluate(() => {
    const item = Object.assign(document.createElement('p'), { textContent: 'An item', tabIndex: -1 })
    document.querySelector('main')!.append(item)
    item.focus()
  })
  t.equal(await outline(), 'solid', 'an item that a key has focused')
  await page.evaluate(() => {
    document.querySelector('main p')!.id = 'target'
    const to = Object.assign(document.createElement('a'), { href: '/lab/form?again#target', textContent: 'Again' })
    document.querySelector('main')!.append(to)
    to.focus()
  })
  await page.keyboard.press('Enter')
  await until(page, () => document.activeElement?.id === 'target')
  t.equal(await outline(), 'none', 'the element of a hash')
})
