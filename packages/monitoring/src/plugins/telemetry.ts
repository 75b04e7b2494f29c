import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { ERRORS, type ErrorMessage } from '@hull/common/channels.ts'
import { createDigest } from '@hull/common/digest.ts'
import { failureStatusOf } from '@hull/common/http/status-of.ts'
import { TelemetryOtherVersion, TelemetrySecondInit } from '../errors.ts'
import { findMetrics, runAfterStart, runOnDrain } from '@hull/common/optional-decorators.ts'
import type { ErrorReport, Telemetry, TelemetryOptions as OpenOptions } from '../server-sdk/telemetry.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** SDK of the server; null if `to` is not set. */
    telemetry: Telemetry | null
    /**
     * Names of cookies that are never part of an event, even with SEND_PII, because they would let a reader act as the
     * visitor.
     */
    secretCookies: Set<string>
  }
  interface FastifyRequest {
    /**
     * Query, body and cookies would let a reader act as the visitor. They are never part of an event, even with
     * SEND_PII.
     */
    isSecret: boolean
  }
}

export interface TelemetryOptions extends Omit<OpenOptions, 'dsn' | 'send' | 'warn'> {
  /** DSN and transport of reports. @default none: the SDK is not loaded */
  to?: Pick<OpenOptions, 'dsn' | 'send'>
  /** Load the SDK after the server listens. @default false */
  late?: boolean
  /** Folder of the application; a second version of `@sentry/node` there is logged. @default not checked */
  root?: string
  /**
   * Capture errors of routes with a status of 500 or more in Fastify's `onError`, for a server that does not publish
   * errors on the channel `hull:error`. @default false
   */
  captureThrown?: boolean
}

/**
 * Milliseconds to send what is left when closing, and at least while draining, where the rest of the drain's time is
 * used too. Enough for a spool, not for a network. A guess.
 */
const FLUSH_TIMEOUT = 500

/** The same for a server that closes without a drain, as in a test: enough to open the inbox first. A guess. */
const UNDRAINED_TIMEOUT = 2_000

/** Opens the SDK that sends errors and spans, and flushes it before the process ends. */
export default fp<TelemetryOptions>(
  async function telemetry(app, { to, late = false, root, captureThrown = false, ...options }) {
    app.decorate('secretCookies', new Set<string>())
    app.decorateRequest('isSecret', false)
    if (to === undefined) {
      app.decorate('telemetry', null)
      return
    }
    const { createLazyTelemetry, findOtherVersions, isInitialised, openTelemetry, SDK_VERSION } =
      await import('../server-sdk/index.ts')
    if (isInitialised()) warn(new TelemetrySecondInit())
    const opened = (late ? openLate : openTelemetry)({ ...options, ...to, warn })
    app.decorate('telemetry', opened)
    const known = new Set<string>()
    let isDrained = false
    app.addHook('onReady', async () => warnOfOtherVersions())
    runOnDrain(app, flushWithin)
    app.addHook('onReady', async function countDrops() {
      countSdkDrops(app, opened)
    })
    ERRORS.subscribe(captureOwn as never)
    if (captureThrown) {
      app.addHook('onError', async function captureThrownError(request, { statusCode }, error) {
        // As Fastify decides: the status of the error, or else the one that the route has set.
        const status = failureStatusOf(error) ?? (statusCode >= 400 ? statusCode : 500)
        if (status >= 500) captureSafely({ error, digest: createDigest(), request })
      })
    }
    app.addHook('onClose', async function closeTelemetry() {
      ERRORS.unsubscribe(captureOwn as never)
      if (await opened.close(isDrained ? FLUSH_TIMEOUT : UNDRAINED_TIMEOUT)) return
      const { unsent, drops } = opened
      app.log.error({ unsent, drops }, 'errors and spans were not sent before the end of the process')
    })

    /** Sends all that was captured, but leaves time for the functions of other plugins to end in time. */
    function flushWithin(timeLeft: number) {
      isDrained = true
      return opened.flush(Math.max(FLUSH_TIMEOUT, timeLeft - FLUSH_TIMEOUT))
    }

    function openLate(options: OpenOptions): Telemetry {
      const telemetry = createLazyTelemetry(options)
      runAfterStart(app, function loadSdk() {
        telemetry.load()
        warnOfOtherVersions()
      })
      return telemetry
    }

    /** A process may hold several applications. */
    function captureOwn({ server, request, error, digest, where }: ErrorMessage) {
      if (server.telemetry !== opened || request?.routeOptions.config.unreported) return
      captureSafely({ error, digest, request, fatal: where === 'process', handled: where === 'background' })
    }

    function captureSafely(report: ErrorReport) {
      try {
        opened.captureError(report)
      } catch (err) {
        // Logged only: reporting this error would call this function again.
        app.log.error({ err, digest: report.digest }, 'an error could not be captured')
      }
    }

    function warnOfOtherVersions() {
      for (const version of findOtherVersions(root)) {
        if (!known.has(version)) warn(new TelemetryOtherVersion(version, SDK_VERSION))
        known.add(version)
      }
    }

    function warn(error: Error & { code?: string }) {
      app.log.warn({ code: error.code }, error.message)
    }
  },
  { name: 'telemetry', fastify: '5.x' }
)

function countSdkDrops(app: FastifyInstance, telemetry: Telemetry): void {
  findMetrics(app)?.series({
    name: 'monitoring_sdk_dropped_items_total',
    help: "Items that the server's own SDK dropped before they were stored, by reason and data category.",
    type: 'counter',
    labelNames: ['reason', 'category'],
    read: () =>
      telemetry.drops.map(({ reason, category, quantity }) => ({ labels: { reason, category }, value: quantity }))
  })
}
