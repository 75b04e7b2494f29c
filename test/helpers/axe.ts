import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds, and where. The policy forbids a script element, but not the debugger. */
export async function findObstacles(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  if (passes.length < 10) throw new Error('axe has hardly looked at anything')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`)
  )
}

/** Pixels by which the page is wider than its window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
