import assert from 'node:assert/strict'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page, type Request } from 'playwright'
import type { Test } from 'tap'
import { findBrowser } from '../../../scripts/browser.js'
import { CHROMIUM_ARGS, chromiumPath } from '../../../scripts/chromium.js'
import { PATIENCE } from './patience.ts'

/**
 * Milliseconds for a whole file. A file takes up to a minute on a quiet machine, and a busy machine is five times as
 * slow.
 */
const FILE_TIMEOUT = 600_000

const PROJECT = join(import.meta.dirname, '../../..')

/** Requests that a page may abort. */
const GIVEN_UP = [
  // Imports are aborted when the page is left.
  /^\/assets\//,
  // The browser requests the icon itself, and aborts that when the page is left.
  /\/favicon\.svg$/,
  // A request with `keepalive` is completed after the page is left, but the debugger reports it as aborted.
  /\/monitoring$/,
  // A page of the inbox closes its live stream when it is left or hidden.
  /^\/inbox\/live/,
  // The next letter aborts the request for suggestions.
  /^\/inbox\/suggestions/,
  // A navigation aborts the refresh of a page of the inbox.
  /^\/-\/data\/inbox/
]

/**
 * Uses one renderer for the empty page of a new tab and for its document, which takes a fifth less processor time per
 * tab.
 */
const ONE_RENDERER = '--renderer-process-limit=1'

/** Milliseconds between two checks of a condition in a page. */
const TURN = 20

/**
 * Name under which a page keeps its original `setTimeout`, which works even while a test has stopped the page's clock.
 */
const TIMER = 'hullTestTimer'

const isShell = (path: string) => /headless[-_]shell/.test(path)

/** A browser with a back/forward cache, which the headless shell lacks. @returns undefined if none is installed */
export async function findWholeBrowser(): Promise<string | undefined> {
  const path = isShell(chromiumPath())
    ? await findBrowser({ root: PROJECT, env: { ...process.env, HULL_CHROMIUM: '' } })
    : chromiumPath()
  return path !== undefined && !isShell(path) ? path : undefined
}

/** The browser of a process that runs many test files; it ends with the process. */
let shared: Browser | undefined

const runsManyFiles = () => Symbol.for('hull.test') in globalThis

/**
 * Returns the browser of the process if `npm test` runs many files in it; otherwise starts one that is closed with the
 * test.
 * @param options.keeping a browser with a back/forward cache, from {@link findWholeBrowser}; it is never shared
 */
export async function launchBrowser(t: Test, { keeping }: { keeping?: string | undefined } = {}): Promise<Browser> {
  t.setTimeout(FILE_TIMEOUT)
  if (runsManyFiles() && keeping === undefined) {
    if (!shared?.isConnected()) shared = await launch()
    return shared
  }
  const browser = await launch(keeping)
  t.teardown(() => browser.close())
  return browser
}

function launch(keeping?: string) {
  return chromium.launch({
    executablePath: keeping ?? chromiumPath(),
    args: [...CHROMIUM_ARGS, ONE_RENDERER],
    // Playwright switches off the back/forward cache, which a visitor's browser has.
    ignoreDefaultArgs: keeping ? ['--disable-back-forward-cache'] : [],
    timeout: PATIENCE
  })
}

export type Tab = Awaited<ReturnType<typeof openTab>>

export interface TabOptions extends BrowserContextOptions {
  origin: string
  /**
   * Whether requests for page data may be aborted. In development, each edit fetches the data again and aborts the last
   * fetch, and the browser reports a stream as aborted after it was read to its end.
   * @default false
   */
  refetches?: boolean
}

/**
 * Opens a tab with a context of its own, closed with the test. It records problems: errors and warnings of the console,
 * uncaught errors, violations of the content security policy, dialogs, failed and refused requests. A problem that the
 * test does not take with `take` fails the test.
 */
export async function openTab(t: Test, browser: Browser, { origin, refetches = false, ...options }: TabOptions) {
  const context = await browser.newContext({ baseURL: origin, ...options })
  const page = await context.newPage()
  const requests: Request[] = []
  let problems: string[] = []
  /** Expected statuses that the console has not reported yet. */
  const awaited: number[] = []
  page.setDefaultTimeout(PATIENCE)
  await page.addInitScript((timer) => {
    Object.defineProperty(window, timer, { value: setTimeout.bind(window) })
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
      console.error(`policy violation: ${violatedDirective} ${blockedURI} ${sample}`)
    })
  }, TIMER)
  page.on('console', (message) => {
    const { url } = message.location()
    // The browser requests it itself if a document names no icon.
    if (url.endsWith('/favicon.ico')) return
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const index = awaited.findIndex((status) => isAbout(message.text(), status))
    if (index === -1) problems.push(`console: ${message.text()} (${toPath(url)})`)
    else awaited.splice(index, 1)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {}
    const path = toPath(request.url())
    if (errorText === 'net::ERR_ABORTED' && GIVEN_UP.some((pattern) => pattern.test(path))) return
    if (errorText === 'net::ERR_ABORTED' && refetches && path.startsWith('/-/data/')) return
    // The browser refuses scripts if JavaScript is off.
    if (options.javaScriptEnabled === false && errorText === 'csp') return
    problems.push(`request failed: ${path} ${errorText}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => requests.push(request))

  t.teardown(async () => {
    const left = page.isClosed() ? problems : await take()
    await context.close()
    if (left.length > 0) throw new Error(`unexpected problems in the browser: ${left.join('\n')}`)
  })
  return { page, requests, open, press, take, takeFirst, pathsOf, seen }

  /** Opens a document, and checks its status. The console's error about an expected status is no problem. */
  async function open(path: string, status = 200) {
    const response = await page.goto(path)
    assert.equal(response?.status(), status, path)
    if (status >= 400) seen(status)
    return response
  }

  /** Clicks an element that leads to another document, and waits until that has loaded. */
  async function press(target: Locator) {
    await Promise.all([page.waitForEvent('load'), target.click()])
  }

  /** Ignores the console's errors about documents with this status, also one that follows: the page may be faster. */
  function seen(status: number) {
    const { length } = problems
    problems = problems.filter((problem) => !isAbout(problem, status))
    if (problems.length === length) awaited.push(status)
  }

  /** Returns the problems so far, and removes them. */
  async function take(): Promise<string[]> {
    // Events arrive in order, so all earlier ones have arrived before this answer.
    await page.evaluate('0').catch(() => {})
    return problems.splice(0)
  }

  /** Like {@link take}, but waits for the first problem: the browser reports an unhandled rejection one turn later. */
  async function takeFirst(): Promise<string[]> {
    for (const end = performance.now() + PATIENCE; problems.length === 0 && performance.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return take()
  }

  /** Paths and queries of the requests of one type so far. */
  function pathsOf(type: 'document' | 'script' | 'stylesheet' | 'fetch'): string[] {
    return requests.filter((request) => request.resourceType() === type).map((request) => toPath(request.url()))
  }

  function toPath(url: string) {
    return url.startsWith(origin) ? url.slice(origin.length) : url
  }
}

/** Waits until every element of the page belongs to React, except React's own preloads of images. */
export async function hydrated(page: Page): Promise<void> {
  await until(page, () => {
    const elements = [...document.querySelectorAll('#root :not(script, template, link[rel=preload])')]
    return (
      elements.length > 0 && elements.every((element) => Object.keys(element).some((key) => key.startsWith('__react')))
    )
  })
}

/**
 * Waits until a condition is true in the page. Playwright's `waitForFunction` needs eval, which the content security
 * policy forbids. The loop runs in the page, which takes far less processor time than a message for each check.
 */
export async function until<Arg>(page: Page, isTrue: (arg: Arg) => boolean, arg?: Arg): Promise<void> {
  const wait = `(async () => {
    // A document has no body before its first content.
    const holds = () => document.body !== null && (${isTrue.toString()})(${JSON.stringify(arg)})
    const pause = () => new Promise((resolve) => window.${TIMER}(resolve, ${TURN}))
    for (let turn = 0; '${TIMER}' in window && turn < ${PATIENCE / TURN} && !holds(); turn++) await pause()
    return holds()
  })()`
  const end = performance.now() + PATIENCE
  while (!(await page.evaluate<boolean>(wait).catch(isBetweenDocuments))) {
    if (performance.now() > end) throw new Error(`the condition never became true in the page: ${isTrue.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, TURN))
  }
}

const isAbout = (text: string, status: number): boolean => text.includes(`responded with a status of ${status} `)

/** Whether another document is replacing the page, so that the condition is not true yet. @throws any other error */
function isBetweenDocuments(error: Error): false {
  if (/context was destroyed|because of a navigation|promise was garbage collected/.test(error.message)) return false
  throw error
}

/** Text of the main element. */
export const textOf = (page: Page): Promise<string> => page.locator('main').innerText()
