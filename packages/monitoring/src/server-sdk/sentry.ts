import { createRequire } from 'node:module'
import type * as Exports from './sentry-exports.ts'
import { bundleIn } from './sentry-bundle.ts'
import { SDK_VERSION } from './sentry-state.ts'

type Sentry = typeof Exports

let loaded: Sentry | undefined

/**
 * Sentry's SDK for Node, as far as we use it. The first call loads it, synchronously, since it may be the application's
 * own code that needs it. Its state is on `globalThis` by version: the whole package, which an application imports, meets
 * the same client there.
 */
export const sentry = (): Sentry => loadSentry()

/**
 * Loads the SDK, once in a process.
 * @param dist folder of a build, with one file of the SDK. @default the whole package is loaded
 */
export const loadSentry = (dist?: string): Sentry => (loaded ??= load(dist))

/** From the file that the build wrote; the whole package where there is none, or where it was written of another version. */
function load(dist?: string): Sentry {
  const require = createRequire(import.meta.url)
  try {
    const bundle = dist === undefined ? undefined : (require(bundleIn(dist)) as Sentry)
    if (bundle?.SDK_VERSION === SDK_VERSION) return bundle
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
  }
  const packages = ['@sentry/core', '@sentry/core/server', '@sentry/node']
  return Object.assign({}, ...packages.map((name) => require(name) as object)) as Sentry
}
