import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright'
import t from 'tap'
import { launchBrowser, openTab, startApp, type Tab } from '../helpers/browser.ts'

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
  ['500', at('/lab/error/data', 500)]
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
      }
    }
  }
})

async function refuseForm({ page, open, press, seen }: Tab) {
  await open('/lab/form')
  await press(page.getByRole('button', { name: 'Send the claim' }))
  seen(422)
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
