import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { setAsyncContextStrategy } from '@sentry/core'

/** How the SDK finds the scopes of the code that asks it for something. */
export type Strategy = Parameters<typeof setAsyncContextStrategy>[0]

/** What all copies of one version of the SDK share; as much of it as we know of. */
interface Carrier {
  acs?: Strategy
}

const global = globalThis as { __SENTRY__?: Record<string, Carrier | string | undefined> }

function readVersion(require: NodeJS.Require): string {
  const { version } = JSON.parse(readFileSync(require.resolve('@sentry/node/package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/** The version of Sentry's SDK that the server uses. */
export const SDK_VERSION = readVersion(createRequire(import.meta.url))

/** Called when code of the application uses the SDK before it is loaded: each loads one application's. */
const loaders = new Set<() => void>()
/** Called when somebody else starts the SDK. */
const initListeners = new Set<() => void>()

let strategy: Strategy | undefined
let isHeld = false
let isOurs = false

/**
 * Has the first call of the SDK by anybody in this process load it: whoever imports `@sentry/node` needs not wait for
 * the start, and nothing that is said to it before is lost.
 * @returns takes it back
 */
export function loadOnFirstUse(load: () => void): () => void {
  holdStrategy()
  loaders.add(load)
  return () => loaders.delete(load)
}

/** Has all copies of the SDK find their scopes by `ours`, whatever another `Sentry.init()` sets. */
export function setStrategy(ours: Strategy): void {
  holdStrategy()
  strategy = ours
}

/** @returns takes it back */
export function onOtherInit(listener: () => void): () => void {
  initListeners.add(listener)
  return () => initListeners.delete(listener)
}

/** Runs the server's own start of the SDK: it neither counts as a second one, nor as a use that loads an application's. */
export function initialise<T>(fn: () => T): T {
  isOurs = true
  try {
    return fn()
  } finally {
    isOurs = false
  }
}

/** Whether somebody else has started this version of the SDK already. */
export const isInitialised = (): boolean => !isHeld && getCarrier().acs !== undefined

/**
 * Versions of the SDK besides ours: those that were used in this process so far, and the one that is installed for `root`.
 * @param root folder of the application
 */
export function findOtherVersions(root?: string): string[] {
  const versions = new Set(Object.keys(global.__SENTRY__ ?? {}).filter((key) => /^\d+\./.test(key)))
  if (root !== undefined) {
    try {
      versions.add(readVersion(createRequire(`${root}/package.json`)))
    } catch {
      // none is installed there
    }
  }
  versions.delete(SDK_VERSION)
  return [...versions]
}

function getCarrier(): Carrier {
  const versions = (global.__SENTRY__ ??= {})
  return (versions[SDK_VERSION] ??= {}) as Carrier
}

/** An accessor instead of a value: the SDK asks for it whenever it is used, and each `init` sets it. */
function holdStrategy(): void {
  if (isHeld) return
  isHeld = true
  Object.defineProperty(getCarrier(), 'acs', {
    configurable: true,
    get(): Strategy | undefined {
      // The SDK's own start reads it too.
      if (!isOurs) {
        for (const load of loaders) {
          loaders.delete(load)
          load()
        }
      }
      return strategy
    },
    set() {
      if (isOurs) return
      for (const tell of initListeners) tell()
    }
  })
}
