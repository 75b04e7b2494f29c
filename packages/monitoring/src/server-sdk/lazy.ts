import { runInContext } from '../tracing/context.ts'
import { MAX_STACK_FRAMES } from '@hull/common/constants.ts'
import { openTelemetry } from './open.ts'
import { loadOnFirstUse } from './sentry-state.ts'
import { toTraceFacts, type Telemetry, type TelemetryOptions } from './telemetry.ts'

export interface LazyTelemetry extends Telemetry {
  /** Loads the SDK, unless it is loaded. The first error and the application's first use of the SDK also load it. */
  load: () => void
}

/**
 * Creates telemetry that loads its SDK after the start, so that the start is faster. The SDK is loaded synchronously,
 * so that an error is reported at once. Until then no spans are recorded.
 */
export function createLazyTelemetry(options: TelemetryOptions): LazyTelemetry {
  let loaded: Telemetry | undefined
  // The SDK's client sets the same limit, but too late for earlier errors.
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, MAX_STACK_FRAMES)

  const telemetry: LazyTelemetry = {
    facts: toTraceFacts(options),
    get isReady() {
      return loaded !== undefined
    },
    get drops() {
      return loaded?.drops ?? []
    },
    get unsent() {
      return loaded?.unsent ?? 0
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
      // First, because opening telemetry uses the SDK, which would load it again.
      stopWaiting()
      loaded = runInContext(undefined, () => openTelemetry(options, telemetry))
    }
    return loaded
  }

  const stopWaiting = loadOnFirstUse(load)
  return telemetry
}
