import { chromium, type Browser, type Page, type Request } from 'playwright'
import { CHROMIUM_ARGS, chromiumPath } from '../scripts/chromium.js'
import type { Bench } from './measures/measure.ts'
import { pinSelf } from './processes.ts'
import type { Server } from './servers.ts'

/** Milliseconds to wait for a condition in a page. */
export const PATIENCE = 20_000

/** Milliseconds between two checks of a condition in a page. */
const POLL = 10

/**
 * Starts Chromium: HULL_CHROMIUM, or Debian's. The browser may use both cores, because its processes wait for each
 * other: on one core a click takes four times as long. This process stays on one core.
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

/** A page in a new browser context, with an empty cache. */
export interface Tab {
  page: Page
  /** All requests until now, in order. */
  requests: Request[]
  /** Loads a path of the server, and waits until React has hydrated all links of the page. */
  open: (path: string) => Promise<void>
  /** Waits until a condition is true in the page. */
  until: <Arg>(isTrue: (arg: Arg) => boolean, arg: Arg) => Promise<void>
  /** Waits until no request has been pending for this many milliseconds. */
  untilQuiet: (milliseconds: number) => Promise<void>
  /** Delays every response by this many milliseconds; the throughput stays unlimited. */
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
      () => `${server.name}: a condition never became true on ${page.url()}: ${isTrue.toString()}`
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

/** React adds a property with this prefix to each element that it has hydrated or created. */
function areLinksHydrated(): boolean {
  const links = [...document.querySelectorAll('main a')]
  return links.length > 0 && links.every((link) => Object.keys(link).some((key) => key.startsWith('__reactProps')))
}

/**
 * Polls from outside the page, because waiting inside the page needs `eval`, which a content security policy may
 * forbid.
 */
async function waitFor(isTrue: () => Promise<boolean>, createMessage: () => string): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(createMessage())
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
}
