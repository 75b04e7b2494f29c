import { createRequire } from 'node:module'
import type * as Exports from './sentry-exports.ts'
import { bundleIn } from './sentry-bundle.ts'
import { SDK_VERSION } from './sentry-state.ts'

type Sentry = typeof Exports

let loaded: Sentry | undefined

/**
 * Returns the parts of Sentry's SDK for Node that we use. The first call loads the SDK, synchronously, because
 * application code may need it. The SDK's state is on `globalThis` by version, so the whole package, which an
 * application imports, finds the same client there.
 */
export const sentry = (): Sentry => loadSentry()

/**
 * Loads the SDK, once in a process.
 * @param dist output folder of a build, with the bundled SDK. @default the whole package is loaded
 */
export const loadSentry = (dist?: string): Sentry => (loaded ??= load(dist))

/** Loads the bundle of the build, or the whole package if there is no bundle or if it has another version. */
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
