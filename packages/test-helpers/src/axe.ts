import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Locator, Page } from 'playwright'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const SIZES = ['target-size', 'scrollable-region-focusable']
const COLOURS = ['color-contrast']

/** Rules whose result depends on the size of the window, on the colours, and on one of the two. */
const RULES = { sizes: SIZES, colours: COLOURS, looks: [...SIZES, ...COLOURS] }

export interface ObstacleOptions {
  /** All menus of the page are open and cover targets, so the sizes of targets are not measured. @default false */
  areMenusOpen?: boolean
  /** Checks only the rules that the last change of the page can affect. @default all rules */
  only?: keyof typeof RULES
  /** Parts of the page to check; at least one element must match. @default the whole page */
  within?: Locator
}

/**
 * Violations that axe finds, with their elements: of its default rules, and of the target size of 24 by 24 CSS px with
 * the exceptions of WCAG 2.5.8 (spacing, inline). axe is evaluated by the debugger, because the content security policy
 * forbids a script element.
 */
export async function findObstacles(
  page: Page,
  { areMenusOpen = false, only, within }: ObstacleOptions = {}
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const options: axe.RunOptions = {
    // Describes every node only for violated rules.
    resultTypes: ['violations'],
    ...(only
      ? { runOnly: { type: 'rule', values: RULES[only] } }
      : { rules: { 'target-size': { enabled: !areMenusOpen } } })
  }
  const { violations, passes } = await (within ?? page.locator('html')).evaluateAll(
    (include, given) => (window as unknown as { axe: typeof axe }).axe.run({ include }, given),
    options
  )
  if (!only && !within && passes.length < 10) throw new Error('axe has hardly looked at anything')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary}`)
  )
}

/** Opens every menu, confirmation and fold of a page at once. */
export const openEverything = (page: Page) =>
  page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) {
      // The browser keeps only one `details` of a name open.
      details.removeAttribute('name')
      details.open = true
    }
  })

/** How many pixels the page is wider than its window. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/**
 * Boxes whose content is wider than the box, so that it is cut or must be scrolled; without code and text that ends in
 * an ellipsis.
 */
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

/**
 * Shapes that may have a low contrast: grids, backgrounds of bars, shapes with a border, and heat maps, whose counts
 * are also text.
 */
const FAINT_SHAPES =
  '[class*="-ground"], [class*="-grid"] *, [class*="-tick"] *, .band-poor, .waterfall-own, .heat-map *, [inert] *'

/**
 * Shapes of drawings and charts whose contrast against the background is below 3:1 (WCAG 1.4.11), with forced colours.
 */
export const findUnseenShapes = (page: Page): Promise<string[]> =>
  page.evaluate((faint) => {
    const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = 'Canvas'
    const ground = getComputedStyle(probe).color
    probe.remove()

    const luminance = (color: string, alpha = 1) => {
      for (const [style, opacity] of [[ground, 1] as const, [color, alpha] as const]) {
        paint.globalAlpha = opacity
        paint.fillStyle = style
        paint.fillRect(0, 0, 1, 1)
      }
      const [red, green, blue] = [...paint.getImageData(0, 0, 1, 1).data].map((byte) => {
        const share = byte / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      }) as [number, number, number]
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const isSeen = (color: string, alpha: number) => {
      if (color === 'none') return false
      const [light, dark] = [luminance(ground), luminance(color, alpha)].sort((a, b) => b - a) as [number, number]
      return (light + 0.05) / (dark + 0.05) >= 3
    }
    const opacityOf = (element: Element | null): number =>
      element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1

    const unseen = [...document.querySelectorAll('svg :is(path, rect, line, circle)')].filter((shape) => {
      if (shape.matches(faint) || !shape.checkVisibility()) return false
      const { fill, fillOpacity, stroke, strokeOpacity } = getComputedStyle(shape)
      const opacity = opacityOf(shape)
      return !isSeen(fill, Number(fillOpacity) * opacity) && !isSeen(stroke, Number(strokeOpacity) * opacity)
    })
    const names = unseen.map((shape) => {
      const drawing = shape.closest('svg')!.getAttribute('class')
      return `${drawing} ${shape.tagName}.${shape.getAttribute('class')} ${getComputedStyle(shape).fill}`
    })
    return [...new Set(names)]
  }, FAINT_SHAPES)
