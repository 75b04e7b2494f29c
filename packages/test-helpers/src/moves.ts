import { PATIENCE } from './patience.ts'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import type { Test } from 'tap'
import { createListeningApp, type TestAppOptions } from './app.ts'
import { openTab, until, type Tab, type TabOptions } from './browser.ts'
import { buildSite } from './site.ts'

/** The application with the pages of packages/shell/test/fixtures/moves, which are there to be left and come back to. */
export const startMoves = async (t: Test, options?: TestAppOptions) =>
  createListeningApp(t, {
    ...options,
    site: await buildSite(join(import.meta.dirname, '../../shell/test/fixtures/moves'))
  })

/** A tab with a page that has come to life; documents and fetches are counted from here. */
export async function openAlive(t: Test, browser: Browser, { at, ...options }: TabOptions & { at: string }) {
  const tab = await openTab(t, browser, options)
  await tab.open(at)
  await alive(tab)
  tab.requests.length = 0
  return tab
}

/** Waits until the shell takes clicks: the heading belongs to React then. Markup put in by hand never does. */
export const alive = ({ page }: Pick<Tab, 'page'>): Promise<void> =>
  until(page, () => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__react')))

/** Waits until the page's heading is this one. */
export const stands = ({ page }: Pick<Tab, 'page'>, heading: string): Promise<void> =>
  until(page, (text) => document.querySelector('h1')?.textContent === text, heading)

/** Follows a link of the page, and waits for the heading it leads to. */
export async function follow({ page }: Pick<Tab, 'page'>, link: string, heading: string): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).click()
  await stands({ page }, heading)
}

/** Gives what is not to happen the time to happen. */
export const pause = (ms = 300): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The requests that were given up so far; anything else that went wrong stays a trouble. */
export async function takeAborted(tab: Pick<Tab, 'take'>): Promise<string[]> {
  const aborted: string[] = []
  const rest: string[] = []
  for (const trouble of await tab.take()) {
    const [, path] = /^request failed: (\S+) net::ERR_ABORTED$/.exec(trouble) ?? []
    if (path) aborted.push(path)
    else rest.push(trouble)
  }
  if (rest.length > 0) throw new Error(`trouble beside what was given up: ${rest.join('\n')}`)
  return aborted
}

/** The same, waiting until so many have come: the browser tells of one a moment after it was given up. */
export async function untilAborted(tab: Pick<Tab, 'take'>, count: number): Promise<string[]> {
  const aborted: string[] = []
  for (const end = performance.now() + PATIENCE; ;) {
    aborted.push(...(await takeAborted(tab)))
    if (aborted.length >= count || performance.now() > end) return aborted
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
