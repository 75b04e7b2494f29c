import { join } from 'node:path'
import type { Page } from 'playwright'
import type { Test } from 'tap'
import { createListeningApp, type TestAppOptions } from './app.ts'
import { until } from './browser.ts'
import { buildSite } from './site.ts'

/**
 * The application with the pages of packages/shell/test/fixtures/breaking. Each page fails in the browser in another
 * way.
 */
export const startBreaking = async (t: Test, options?: TestAppOptions) =>
  createListeningApp(t, {
    ...options,
    site: await buildSite(join(import.meta.dirname, '../../shell/test/fixtures/breaking'))
  })

/** Waits for the error page. */
export const failed = (page: Page): Promise<void> =>
  until(page, () => document.querySelector('h1')?.textContent?.startsWith('Application error: a client-side') === true)
