import assert from 'node:assert/strict'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page, type Request } from 'playwright'
import type { Test } from 'tap'
import { findBrowser } from '../../../scripts/browser.js'
import { CHROMIUM_ARGS, chromiumPath } from '../../../scripts/chromium.js'
import { PATIENCE } from './patience.ts'

/** Milliseconds for a whole file: up to a minute on a quiet machine, and machines are five times as slow at times. */
const FILE_TIMEOUT = 600_000

const PROJECT = join(import.meta.dirname, '../../..')

/** Requests that a page gives up without anything being wrong. */
const GIVEN_UP = [
  // What a page imports ends with it, if it is left before that is there, and with nothing else.
  /^\/assets\//,
  // The browser asks for its icon by itself, and leaves it when the page moves on.
  /\/favicon\.svg$/,
  // What a page sends as it is left goes on without it; the browser's tools lose sight of it.
  /\/monitoring$/,
  // The inbox's news are heard as long as their page is seen.
  /^\/inbox\/live/,
  // Suggestions give way to those for the next letter.
  /^\/inbox\/suggestions/,
  // A screen of the inbox that looks for what is new gives way to whatever its visitor does.
  /^\/-\/data\/inbox/
]

/** Reuses the process of the empty page a tab starts with for its document: a fifth less processor time for each tab. */
const ONE_RENDERER = '--renderer-process-limit=1'

/** Milliseconds between two looks at a page. */
const TURN = 20

/** Name of the page's `setTimeout` in a tab with scripts, also while a test has stopped the page's clock. */
const TIMER = 'hullTestTimer'

const isShell = (path: string) => /headless[-_]shell/.test(path)

/** A browser that can keep pages in memory to go back to, as the headless shell cannot; undefined where there is none. */
export async function findWholeBrowser(): Promise<string | undefined> {
  const path = isShell(chromiumPath())
    ? await findBrowser({ root: PROJECT, env: { ...process.env, HULL_CHROMIUM: '' } })
    : chromiumPath()
  return path !== undefined && !isShell(path) ? path : undefined
}

/** The browser of a process that runs many test files. It ends with the process. */
let shared: Browser | undefined

const runsManyFiles = () => Symbol.for('hull.test') in globalThis

/**
 * A browser for a test file: the one of the process if `npm test` runs many files in it, otherwise one that is closed
 * with the test.
 * @param options.keeping one that is to keep pages, see {@link findWholeBrowser}; it is never shared
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
    // Playwright switches the back/forward cache off, which a visitor's browser has.
    ignoreDefaultArgs: keeping ? ['--disable-back-forward-cache'] : [],
    timeout: PATIENCE
  })
}

export type Tab = Awaited<ReturnType<typeof openTab>>

export interface TabOptions extends BrowserContextOptions {
  origin: string
  /**
   * Whether page data may be aborted: in development, each edit fetches it again, and ends the fetch for the edit before;
   * and the browser says so of a stream that was read to its end.
   * @default false
   */
  refetches?: boolean
}

/**
 * A tab of its own context, closed with the test. What goes wrong in it is remembered: errors and warnings of the
 * console, uncaught errors, violations of the content security policy, dialogs, failed requests and refused ones.
 * Whatever of that the test did not take fails the test.
 */
export async function openTab(t: Test, browser: Browser, { origin, refetches = false, ...options }: TabOptions) {
  const context = await browser.newContext({ baseURL: origin, ...options })
  const page = await context.newPage()
  const requests: Request[] = []
  let troubles: string[] = []
  /** Statuses that a test has seen, and the console has not told of yet. */
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
    // What the browser asks for by itself, of a document that names no icon.
    if (url.endsWith('/favicon.ico')) return
    if (message.type() !== 'error' && message.type() !== 'warning') return
    const told = awaited.findIndex((status) => tellsOf(message.text(), status))
    if (told === -1) troubles.push(`console: ${message.text()} (${toPath(url)})`)
    else awaited.splice(told, 1)
  })
  page.on('pageerror', (error) => troubles.push(`uncaught: ${error.message}`))
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {}
    const path = toPath(request.url())
    if (errorText === 'net::ERR_ABORTED' && GIVEN_UP.some((pattern) => pattern.test(path))) return
    if (errorText === 'net::ERR_ABORTED' && refetches && path.startsWith('/-/data/')) return
    // Scripts are refused where script is off.
    if (options.javaScriptEnabled === false && errorText === 'csp') return
    troubles.push(`request failed: ${path} ${errorText}`)
  })
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => requests.push(request))

  t.teardown(async () => {
    const left = page.isClosed() ? troubles : await take()
    await context.close()
    if (left.length > 0) throw new Error(`trouble in the browser that nobody asked for: ${left.join('\n')}`)
  })
  return { page, requests, open, press, take, takeFirst, pathsOf, seen }

  /** Opens a document and holds it against its status; what the console says about that status is no trouble. */
  async function open(path: string, status = 200) {
    const response = await page.goto(path)
    assert.equal(response?.status(), status, path)
    if (status >= 400) seen(status)
    return response
  }

  /** Clicks what leads to another document, and waits until that is there. */
  async function press(target: Locator) {
    await Promise.all([page.waitForEvent('load'), target.click()])
  }

  /** Forgets that the console has told of documents refused with this status, or is about to: a page may be faster. */
  function seen(status: number) {
    const { length } = troubles
    troubles = troubles.filter((trouble) => !tellsOf(trouble, status))
    if (troubles.length === length) awaited.push(status)
  }

  /** What went wrong so far, which is no surprise from now on. */
  async function take(): Promise<string[]> {
    // Events come in order: after this answer all earlier ones are here.
    await page.evaluate('0').catch(() => {})
    return troubles.splice(0)
  }

  /** As {@link take}, but waits for the first: an unhandled rejection is told a turn after it was made. */
  async function takeFirst(): Promise<string[]> {
    for (const end = performance.now() + PATIENCE; troubles.length === 0 && performance.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return take()
  }

  /** Paths and queries of the requests so far, of one kind. */
  function pathsOf(type: 'document' | 'script' | 'stylesheet' | 'fetch'): string[] {
    return requests.filter((request) => request.resourceType() === type).map((request) => toPath(request.url()))
  }

  function toPath(url: string) {
    return url.startsWith(origin) ? url.slice(origin.length) : url
  }
}

/** Waits until every element of the page belongs to React; its own preloads of images do not. */
export async function hydrated(page: Page): Promise<void> {
  await until(page, () => {
    const elements = [...document.querySelectorAll('#root :not(script, template, link[rel=preload])')]
    return (
      elements.length > 0 && elements.every((element) => Object.keys(element).some((key) => key.startsWith('__react')))
    )
  })
}

/**
 * Waits until something is true in the page. Not by Playwright's own waiting, which needs eval: the policy forbids it.
 * The page itself asks again, which takes far less processor time than a message for each turn.
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
    if (performance.now() > end) throw new Error(`it never became true in the page: ${isTrue.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, TURN))
  }
}

const tellsOf = (text: string, status: number): boolean => text.includes(`responded with a status of ${status} `)

/** Another document is taking the page's place: nothing is true of it yet. */
function isBetweenDocuments(error: Error): false {
  if (/context was destroyed|because of a navigation|promise was garbage collected/.test(error.message)) return false
  throw error
}

/** What a visitor reads in the page's place. */
export const textOf = (page: Page): Promise<string> => page.locator('main').innerText()
