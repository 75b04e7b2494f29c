import { currentContext, runInContext } from '../async-context.ts'
import { MAX_STACK_FRAMES } from '../common/constants.ts'
import { parseDsn } from '../envelope/dsn.ts'
import { settlesWithin } from '../settles-within.ts'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

export interface LateTelemetry extends Telemetry {
  /** Loads the SDK. The first error does it too. */
  load: () => Promise<void>
}

/**
 * Telemetry whose SDK is not loaded yet: that takes a tenth of a second, a third of the whole start. Until it is there,
 * errors wait for it and no spans are kept.
 */
export function createLateTelemetry(options: TelemetryOptions): LateTelemetry {
  const { dsn, environment, release } = options
  const publicKey = parseDsn(dsn)?.publicKey
  let loading: Promise<void> | undefined
  let loaded: Telemetry | undefined
  // As the SDK's client does: the errors that wait for it have a stack already.
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, MAX_STACK_FRAMES)

  const telemetry: LateTelemetry = {
    facts: { environment, release, ...(publicKey === undefined ? {} : { public_key: publicKey }) },
    get isReady() {
      return loaded !== undefined
    },
    load: () => (loading ??= load()),
    open: (info) => loaded!.open(info),
    enter: (context, info) => loaded!.enter(context, info),
    captureError(report) {
      if (loaded) return loaded.captureError(report)
      const context = currentContext()
      // Known as long as the connection is open.
      const late = { ...report, address: report.request?.ip }
      void telemetry.load().then(() => runInContext(context, () => loaded?.captureError(late)))
    },
    async flush(timeout) {
      return loading === undefined || (await within(timeout, (left) => loaded!.flush(left)))
    },
    async close(timeout) {
      return loading === undefined || (await within(timeout, (left) => loaded!.close(left)))
    }
  }

  async function load() {
    const { openTelemetry } = await import('./open.ts')
    loaded = runInContext(undefined, () => openTelemetry(options, telemetry))
  }

  /** What waits for the SDK is told first. */
  async function within(timeout: number, act: (left: number) => Promise<boolean>): Promise<boolean> {
    const end = performance.now() + timeout
    if (!(await settlesWithin(loading!, timeout))) return false
    return act(Math.max(1, end - performance.now()))
  }

  return telemetry
}
