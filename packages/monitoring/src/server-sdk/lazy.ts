import { runInContext } from '../tracing/context.ts'
import { MAX_STACK_FRAMES } from '@hull/common/constants.ts'
import { parseDsn } from '../envelope/dsn.ts'
import { openTelemetry } from './open.ts'
import { loadOnFirstUse } from './sentry-state.ts'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

export interface LazyTelemetry extends Telemetry {
  /** Loads the SDK, unless it is loaded. The first error does it too, and the first use of the SDK by an application. */
  load: () => void
}

/**
 * Telemetry whose SDK is loaded after the start, which it would make longer. It is loaded synchronously, so that nothing
 * has to wait for it: an error is reported at once. Until then no spans are kept.
 */
export function createLazyTelemetry(options: TelemetryOptions): LazyTelemetry {
  const { dsn, environment, release } = options
  const publicKey = parseDsn(dsn)?.publicKey
  let loaded: Telemetry | undefined
  // As the SDK's client does: what is thrown before has its stack already.
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, MAX_STACK_FRAMES)

  const telemetry: LazyTelemetry = {
    facts: { environment, release, ...(publicKey === undefined ? {} : { public_key: publicKey }) },
    get isReady() {
      return loaded !== undefined
    },
    load,
    open: (info) => load().open(info),
    enter: (context, info) => load().enter(context, info),
    openOutside: (info, baggage) => loaded?.openOutside(info, baggage),
    captureError: (report) => load().captureError(report),
    flush: async (timeout) => loaded === undefined || loaded.flush(timeout),
    async close(timeout) {
      stopWaiting()
      return loaded === undefined || loaded.close(timeout)
    }
  }

  function load(): Telemetry {
    if (loaded === undefined) {
      // First: opening it uses the SDK, which would load it a second time.
      stopWaiting()
      loaded = runInContext(undefined, () => openTelemetry(options, telemetry))
    }
    return loaded
  }

  const stopWaiting = loadOnFirstUse(load)
  return telemetry
}
