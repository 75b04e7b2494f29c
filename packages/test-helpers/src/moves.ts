import { join } from 'node:path'
import type { Browser } from 'playwright'
import type { Test } from 'tap'
import { PATIENCE } from './patience.ts'
import { createListeningApp, type TestAppOptions } from './app.ts'
import { openTab, until, type Tab, type TabOptions } from './browser.ts'
import { buildSite } from './site.ts'

/** The application with the pages of packages/shell/test/fixtures/moves, for tests of navigations. */
export const startMoves = async (t: Test, options?: TestAppOptions) =>
  createListeningApp(t, {
    ...options,
    site: await buildSite(join(import.meta.dirname, '../../shell/test/fixtures/moves'))
  })

/** Opens a tab with a page that handles clicks, and counts documents and fetches from then on. */
export async function openInteractive(t: Test, browser: Browser, { at, ...options }: TabOptions & { at: string }) {
  const tab = await openTab(t, browser, options)
  await tab.open(at)
  await untilInteractive(tab)
  tab.requests.length = 0
  return tab
}

/**
 * Waits until the shell handles clicks, which is when React owns the heading. Never resolves for markup inserted by
 * hand.
 */
export const untilInteractive = ({ page }: Pick<Tab, 'page'>): Promise<void> =>
  until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))

/** Waits for a heading with this text. */
export const untilHeading = ({ page }: Pick<Tab, 'page'>, heading: string): Promise<void> =>
  until(page, (text) => document.querySelector('h1')?.textContent === text, heading)

/**
 * Checks that the page returned without a new document. By the HTML standard, and in Chromium since 150, a browser
 * remembers a failed import and cannot load the script again in this document; then a new document is allowed.
 */
export const assertDocumentKept = (t: Test, { pathsOf }: Pick<Tab, 'pathsOf'>, path: string): void => {
  t.ok(
    pathsOf('document').every((loaded) => loaded === path),
    pathsOf('document').join(' ')
  )
}

/** Clicks a link of the page, and waits for the next heading. */
export async function followLink({ page }: Pick<Tab, 'page'>, link: string, heading: string): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).click()
  await untilHeading({ page }, heading)
}

/** Causes a prefetch, and waits for the whole response, which a navigation would otherwise abort. */
export async function prefetch({ page }: Pick<Tab, 'page'>, path: string, cause: () => Promise<void>): Promise<void> {
  const answered = page.waitForResponse(`**/-/data${path}`)
  await cause()
  await (await answered).finished()
}

/** Waits long enough for an unexpected navigation or request. */
export const pause = (ms = 300): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns the requests aborted so far. Any other problem still fails the test. */
export async function takeAborted(tab: Pick<Tab, 'take'>): Promise<string[]> {
  const aborted: string[] = []
  const rest: string[] = []
  for (const problem of await tab.take()) {
    const [, path] = /^request failed: (\S+) net::ERR_ABORTED$/.exec(problem) ?? []
    if (path) aborted.push(path)
    else rest.push(problem)
  }
  if (rest.length > 0) throw new Error(`unexpected problems besides aborted requests: ${rest.join('\n')}`)
  return aborted
}

/** Waits for a number of aborted requests, which the browser reports with a delay. */
export async function untilAborted(tab: Pick<Tab, 'take'>, count: number): Promise<string[]> {
  const aborted: string[] = []
  for (const end = performance.now() + PATIENCE; ;) {
    aborted.push(...(await takeAborted(tab)))
    if (aborted.length >= count || performance.now() > end) return aborted
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
