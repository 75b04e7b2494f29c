import type { Request } from 'playwright'
import { PATIENCE, type Tab } from './browser.ts'
import type { ContenderName } from './options.ts'
import { isHull } from './pages.ts'
import { toTree } from './same-tree.ts'

declare global {
  interface Window {
    /** Milliseconds from the click to the frame with the heading. */
    benchShown?: Promise<number>
  }
}

/** Hull's page data begins with it. */
const PAGE_DATA = '/-/data/'

/** Milliseconds without a request after which what a page does by itself is over. A guess that has been fine. */
export const SETTLED = 100
/** The same once the pointer rests on a link, from where it takes a while to mean it. */
const PREFETCHED = 300

export interface Click {
  /** Path the link leads to. */
  path: string
  /** What the page behind it has as its heading. */
  heading: string
  /** A real pointer rests on the link first. Without, the click comes out of nowhere, as a finger's does. */
  hovers: boolean
}

export interface Shown {
  /** From the click to the first frame that has the heading. */
  milliseconds: number
  /** What is shown, as {@link toTree} has it. */
  tree: string
  /** What the browser asked for, on account of pointer and click. */
  requests: Request[]
}

/** Clicks a link of the page shown, which comes into view before, as with a visitor. */
export async function clickLink({ page, requests, untilQuiet }: Tab, click: Click): Promise<Shown> {
  const { path, heading, hovers } = click
  const link = page.locator(`main a[href="${path}"]`)
  await page.mouse.move(0, 0)
  await link.scrollIntoViewIfNeeded()
  await untilQuiet(SETTLED)
  const before = requests.length
  if (hovers) {
    await link.hover()
    await untilQuiet(PREFETCHED)
  }
  await page.evaluate(watchForHeading, { heading, patience: PATIENCE })
  if (hovers) {
    await page.mouse.down()
    await page.mouse.up()
  } else {
    await link.evaluate((element: HTMLElement) => element.click())
  }
  // told by the page: to look again and again would take its time
  const milliseconds = await page.evaluate(() => window.benchShown)
  if (milliseconds === undefined) throw new Error(`${page.url()} was loaded as a document`)
  await untilQuiet(SETTLED)
  return { milliseconds, tree: toTree(await page.content()), requests: requests.slice(before) }
}

/** Starts the clock of the next click: one clock for everybody, in the page, blind to how it gets there. */
function watchForHeading({ heading, patience }: { heading: string; patience: number }): void {
  let clickedAt = 0
  // what the click is handled by comes after it has happened
  addEventListener('click', ({ timeStamp }) => (clickedAt = timeStamp), { capture: true, once: true })
  window.benchShown = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`A click did not lead to "${heading}"`)), patience)
    const observer = new MutationObserver(() => {
      if (document.querySelector('h1')?.textContent !== heading) return
      observer.disconnect()
      requestAnimationFrame(() => resolve(performance.now() - clickedAt))
    })
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/**
 * Holds what a click made the browser ask for against what it may: no document from anybody, and from us the page's
 * data, once.
 * @throws Error that names what was asked for
 */
export function assertRequests(name: ContenderName, asked: Array<{ type: string; url: string }>): void {
  const of = (type: string) => asked.filter((request) => request.type === type)
  const list = asked.map(({ type, url }) => `${type} ${url}`).join(', ') || 'nothing'
  if (of('document').length > 0) throw new Error(`${name} loads a document after a click: ${list}`)
  const data = of('fetch').filter(({ url }) => new URL(url).pathname.startsWith(PAGE_DATA))
  if (isHull(name) && data.length !== 1)
    throw new Error(`${name} asks for page data ${data.length} times for one click: ${list}`)
}
