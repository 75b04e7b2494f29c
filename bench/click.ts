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

/** Milliseconds without a request after which a page has finished its own requests. A guess that has been fine. */
export const SETTLED = 100
/** The same while the pointer rests on a link, which the page needs some time to recognise. */
const PREFETCHED = 300

export interface Click {
  /** Path the link leads to. */
  path: string
  /** Heading of the linked page. */
  heading: string
  /** Moves the pointer to the link first. Otherwise the click has no pointer before it, like a finger's. */
  hovers: boolean
}

export interface Shown {
  /** From the click to the first frame that has the heading. */
  milliseconds: number
  /** Content of the page, from {@link toTree}. */
  tree: string
  /** Requests of the browser caused by pointer and click. */
  requests: Request[]
}

/** Clicks a link of the current page, after scrolling it into view as a visitor does. */
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
  // the page reports it, since polling would take time of its own
  const milliseconds = await page.evaluate(() => window.benchShown)
  if (milliseconds === undefined) throw new Error(`${page.url()} was loaded as a document`)
  await untilQuiet(SETTLED)
  return { milliseconds, tree: toTree(await page.content()), requests: requests.slice(before) }
}

/** Starts the clock of the next click: one clock for everybody, in the page, blind to how it gets there. */
function watchForHeading({ heading, patience }: { heading: string; patience: number }): void {
  let clickedAt = 0
  // the handler of the click runs after this event
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
 * Checks the requests that a click caused: none for a document, and for Hull one for the page's data.
 * @throws Error that names the requests
 */
export function assertRequests(name: ContenderName, asked: Array<{ type: string; url: string }>): void {
  const of = (type: string) => asked.filter((request) => request.type === type)
  const list = asked.map(({ type, url }) => `${type} ${url}`).join(', ') || 'nothing'
  if (of('document').length > 0) throw new Error(`${name} loads a document after a click: ${list}`)
  const data = of('fetch').filter(({ url }) => new URL(url).pathname.startsWith(PAGE_DATA))
  if (isHull(name) && data.length !== 1)
    throw new Error(`${name} asks for page data ${data.length} times for one click: ${list}`)
}
