import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { setAsyncContextStrategy } from '@sentry/core'
import { attempt } from '@hull/common/attempt.ts'

/** Finds the scopes of the code that calls the SDK. */
export type Strategy = Parameters<typeof setAsyncContextStrategy>[0]

/** State that all copies of one version of the SDK share, as far as we know it. */
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

/** Version of Sentry's SDK that the server uses. */
export const SDK_VERSION = readVersion(createRequire(import.meta.url))

/** Called when application code uses the SDK before it is loaded. Each function loads the SDK for one application. */
const loaders = new Set<() => void>()
/** Called when other code initialises the SDK. */
const initListeners = new Set<() => void>()

let strategy: Strategy | undefined
let isInstalled = false
let isOurs = false

/**
 * Calls `load` when any code in this process first uses the SDK. Code that imports `@sentry/node` does not have to wait
 * for the start, and nothing that it reports before is lost.
 * @returns function that undoes it
 */
export function loadOnFirstUse(load: () => void): () => void {
  installStrategyAccessor()
  loaders.add(load)
  return () => loaders.delete(load)
}

/** Makes all copies of the SDK find their scopes with `ours`, regardless of another `Sentry.init()`. */
export function setStrategy(ours: Strategy): void {
  installStrategyAccessor()
  strategy = ours
}

/** @returns function that removes the listener */
export function onOtherInit(listener: () => void): () => void {
  initListeners.add(listener)
  return () => initListeners.delete(listener)
}

/**
 * Runs the server's own initialisation of the SDK. It counts neither as a second one, nor as a first use that loads the
 * SDK.
 */
export function initialise<T>(fn: () => T): T {
  isOurs = true
  try {
    return fn()
  } finally {
    isOurs = false
  }
}

/** Whether other code has already initialised this version of the SDK. */
export const isInitialised = (): boolean => !isInstalled && getCarrier().acs !== undefined

/**
 * Returns versions of the SDK other than ours: those used in this process so far, and the one installed for `root`.
 * @param root folder of the application
 */
export function findOtherVersions(root?: string): string[] {
  const versions = new Set(Object.keys(global.__SENTRY__ ?? {}).filter((key) => /^\d+\./.test(key)))
  // Throws if no SDK is installed there.
  if (root !== undefined) attempt(() => versions.add(readVersion(createRequire(`${root}/package.json`))))
  versions.delete(SDK_VERSION)
  return [...versions]
}

function getCarrier(): Carrier {
  const versions = (global.__SENTRY__ ??= {})
  return (versions[SDK_VERSION] ??= {}) as Carrier
}

/** Installs an accessor instead of a value: the SDK reads it on every use, and each `init` sets it. */
function installStrategyAccessor(): void {
  if (isInstalled) return
  isInstalled = true
  Object.defineProperty(getCarrier(), 'acs', {
    configurable: true,
    get(): Strategy | undefined {
      // Our own initialisation also reads it.
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
      for (const listener of initListeners) listener()
    }
  })
}
