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

/** Prefix of the paths of Hull's page data. */
const PAGE_DATA = '/-/data/'

/** Milliseconds without a request after which a page has finished its own requests. A guess that has been fine. */
export const SETTLED = 100
/** The same while the pointer rests on a link: a page prefetches only after the pointer has rested for a while. */
const PREFETCHED = 300

export interface Click {
  /** Path of the link. */
  path: string
  /** Heading of the linked page. */
  heading: string
  /**
   * Moves the pointer to the link first. Otherwise a script clicks, without pointer events before, as a finger does.
   */
  hovers: boolean
}

export interface ClickResult {
  /** Time from the click to the first frame that has the heading. */
  milliseconds: number
  /** Content of the page, from {@link toTree}. */
  tree: string
  /** Requests of the browser that the pointer and the click caused. */
  requests: Request[]
}

/** Clicks a link of the current page, after scrolling it into view as a visitor does. */
export async function clickLink({ page, requests, untilQuiet }: Tab, click: Click): Promise<ClickResult> {
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
  // The page measures the time itself, since polling from outside would delay the page.
  const milliseconds = await page.evaluate(() => window.benchShown)
  if (milliseconds === undefined) throw new Error(`${page.url()} was loaded as a document`)
  await untilQuiet(SETTLED)
  return { milliseconds, tree: toTree(await page.content()), requests: requests.slice(before) }
}

/** Measures the next click in the page, in the same way for all contenders, however they show the next page. */
function watchForHeading({ heading, patience }: { heading: string; patience: number }): void {
  let clickedAt = 0
  // This capturing listener runs before the contender's own click handler.
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
 * Checks the requests that a click caused: no request for a document, and for Hull exactly one for page data.
 * @throws Error that names the requests
 */
export function assertRequests(name: ContenderName, requests: Array<{ type: string; url: string }>): void {
  const of = (type: string) => requests.filter((request) => request.type === type)
  const list = requests.map(({ type, url }) => `${type} ${url}`).join(', ') || 'nothing'
  if (of('document').length > 0) throw new Error(`${name} loads a document after a click: ${list}`)
  const data = of('fetch').filter(({ url }) => new URL(url).pathname.startsWith(PAGE_DATA))
  if (isHull(name) && data.length !== 1)
    throw new Error(`${name} requests page data ${data.length} times for one click: ${list}`)
}
