import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * The rules that axe has on by default, and targets of 24 by 24 CSS px with the exceptions of WCAG 2.5.8 (spacing,
 * inline). Targets under something that floats are measured when it is closed.
 */
const RULES = { 'target-size': { enabled: true } }
const RULES_WITH_OPEN_MENUS = { 'target-size': { enabled: false } }

/** What axe finds, and where. The policy forbids a script element, but not the debugger. */
export async function findObstacles(page: Page, { areMenusOpen = false } = {}): Promise<string[]> {
  await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(
    (rules) => (window as unknown as { axe: typeof axe }).axe.run({ rules }),
    areMenusOpen ? RULES_WITH_OPEN_MENUS : RULES
  )
  if (passes.length < 10) throw new Error('axe has hardly looked at anything')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`)
  )
}

/** Opens every menu, confirmation and fold of a page at once. */
export const openEverything = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      // of those with one name only one is open
      details.removeAttribute('name')
      details.open = true
    }
  })

/** Pixels by which the page is wider than its window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** Boxes whose content is wider than they are: it is cut, or has to be scrolled. Not code, nor text that ends in an ellipsis. */
export const findCutBoxes = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('main *, header *')]
      .filter((element) => {
        const { overflowX, textOverflow, position } = getComputedStyle(element)
        if (element.closest('pre') || textOverflow === 'ellipsis') return false
        const isHidden = position === 'absolute' && element.clientWidth <= 1
        return overflowX !== 'visible' && !isHidden && element.scrollWidth > element.clientWidth + 1
      })
      .map(({ tagName, className, scrollWidth, clientWidth }) => {
        return `${tagName.toLowerCase()}.${String(className)}: ${scrollWidth - clientWidth} px`
      })
  )
