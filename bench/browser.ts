import { chromium, type Browser, type Page, type Request } from 'playwright'
import { CHROMIUM_ARGS, chromiumPath } from '../scripts/chromium.js'
import type { Bench } from './measures/measure.ts'
import { pinSelf } from './processes.ts'
import type { Server } from './servers.ts'

/** Milliseconds for what is to happen in a page. */
export const PATIENCE = 20_000

/** Milliseconds between two looks at a page. */
const POLL = 10

/**
 * Starts a Chromium: HULL_CHROMIUM, or Debian's. It may use both cores, unlike this process: its own processes wait for
 * each other, and on one core a click takes four times as long.
 */
export async function launchBrowser({
  serverCore,
  loadCore
}: Pick<Bench, 'serverCore' | 'loadCore'>): Promise<Browser> {
  const isPinned = serverCore !== undefined && loadCore !== undefined
  if (isPinned) pinSelf(serverCore, loadCore)
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_ARGS })
  if (isPinned) pinSelf(loadCore)
  return browser
}

/** A page of its own context: what others have loaded is not in its cache. */
export interface Tab {
  page: Page
  /** Every request so far, in order. */
  requests: Request[]
  /** Loads an address of the server, and waits until a click on any link in it would be taken in place. */
  open: (path: string) => Promise<void>
  /** Waits until something is true in the page. */
  until: <Arg>(isTrue: (arg: Arg) => boolean, arg: Arg) => Promise<void>
  /** Waits until no request has been open for so many milliseconds from now on. */
  untilQuiet: (milliseconds: number) => Promise<void>
  /** Lets every request wait for its answer this much longer; what is sent is as fast as before. */
  delayRequests: (milliseconds: number) => Promise<void>
  close: () => Promise<void>
}

export async function openTab(browser: Browser, server: Server): Promise<Tab> {
  const context = await browser.newContext({ baseURL: server.origin })
  const page = await context.newPage()
  const requests: Request[] = []
  const pending = new Set<Request>()
  let changedAt = performance.now()
  const end = (request: Request) => {
    pending.delete(request)
    changedAt = performance.now()
  }
  page.setDefaultTimeout(PATIENCE)
  page.on('request', (request) => {
    requests.push(request)
    pending.add(request)
    changedAt = performance.now()
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)

  const until: Tab['until'] = (isTrue, arg) =>
    waitFor(
      () => page.evaluate(isTrue as (arg: unknown) => boolean, arg),
      () => `${server.name}: it never became true of ${page.url()}: ${isTrue.toString()}`
    )

  return {
    page,
    requests,
    until,
    async open(path) {
      const response = await page.goto(path)
      if (response?.status() !== 200) throw new Error(`${server.name} answers ${path} with ${response?.status()}`)
      await until(areLinksHydrated, undefined)
    },
    untilQuiet(milliseconds) {
      changedAt = performance.now()
      return waitFor(
        async () => pending.size === 0 && performance.now() - changedAt >= milliseconds,
        () => `${server.name}: requests are still open: ${[...pending].map((request) => request.url()).join(', ')}`
      )
    },
    async delayRequests(latency) {
      const session = await context.newCDPSession(page)
      const unlimited = { downloadThroughput: -1, uploadThroughput: -1 }
      await session.send('Network.enable')
      await session.send('Network.emulateNetworkConditions', { offline: false, latency, ...unlimited })
    },
    close: () => context.close()
  }
}

/** React knows its elements by properties of this name, whoever mounted it. */
function areLinksHydrated(): boolean {
  const links = [...document.querySelectorAll('main a')]
  return links.length > 0 && links.every((link) => Object.keys(link).some((key) => key.startsWith('__reactProps')))
}

/** Looks from outside, again and again: to wait inside takes eval, which a content security policy may forbid. */
async function waitFor(isTrue: () => Promise<boolean>, complain: () => string): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(complain())
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
}
