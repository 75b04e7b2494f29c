import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright'
import t from 'tap'
import { OFFLINE_LINE } from '../../client/fallbacks/error-text.ts'
import { hydrated, launchBrowser, openTab, startApp, until, type Tab } from '../helpers/browser.ts'
import { LAB_PAGES, type LabPage } from '../helpers/lab-pages.ts'

const browser = await launchBrowser(t)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const at =
  (path: string, status?: number) =>
  ({ open }: Tab) =>
    open(path, status)

/** Screens, each with the way to it. */
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

t.test('nothing stands in the way of', async (t) => {
  const { origin, logs } = await startApp(t)

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
        // The last page may be one without a connection.
        await tab.page.context().setOffline(false)
      }
    }
  }
})

t.test('nor in that of a page reached by navigation', async (t) => {
  const { origin, logs } = await startApp(t)

  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 390]
  ] as const) {
    const tab = await openTab(t, browser, { origin, colorScheme, viewport: { width, height: 800 } })
    // A loop is the browser's own to tell of.
    for (const screen of LAB_PAGES.filter(({ path }) => path !== '/lab/redirect-loop')) {
      t.test(`${screen.path}, ${colorScheme}, ${width} px wide`, async (t) => {
        await to(screen)(tab)
        t.same(await findObstacles(tab.page), [])
        t.equal(await overflow(tab.page), 0, 'it does not scroll sideways')
        const troubles = (await tab.take()).filter((trouble) => !trouble.endsWith('net::ERR_ABORTED'))
        // What fails in the browser stands in its console.
        if (screen.status !== 500) t.same(troubles, [])
        logs.takeErrors()
      })
    }
  }
})

async function refuseForm({ page, open, seen }: Tab) {
  await open('/lab/form')
  await hydrated(page)
  await page.getByRole('button', { name: 'Send the claim' }).click()
  await page.getByRole('alert').filter({ hasText: 'fields to mend' }).waitFor()
  seen(422)
}

/** In place, from the list of the lab: every page of it, whatever it answers. */
const to =
  ({ path, status = 200, title }: LabPage) =>
  async ({ page, open, seen }: Tab) => {
    await open('/lab')
    await hydrated(page)
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href })
      document.body.append(link)
      link.click()
      link.remove()
    }, path)
    await until(
      page,
      (name) => document.title === name && document.querySelector('.shell-progress[hidden]') !== null,
      title
    )
    if (status >= 400) seen(status)
  }

/** A page on its way, its bar shown. */
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

/** A page that could not be had. */
async function loseConnection({ page, open, take }: Tab) {
  await open('/lab')
  await hydrated(page)
  await page.context().setOffline(true)
  await page.locator('a[href="/lab/items"]').first().click()
  await page.getByText(OFFLINE_LINE).waitFor()
  await take()
}

/** What axe finds, and where. The policy forbids a script element, but not the debugger. */
async function findObstacles(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  if (passes.length < 10) throw new Error('axe has hardly looked at anything')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`)
  )
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
