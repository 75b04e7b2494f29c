import type { Clock } from './clock.ts'
import { DeliveryFailed, yieldOnce, type Deliverer, type SpooledEnvelope } from './deliverer.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Spool } from '../spool/spool.ts'
import type { Discarded } from '../spool/drops.ts'

/** Milliseconds between reports of drops. A guess; SDKs send theirs once a minute or less often. */
export const REPORT_INTERVAL = 60_000

export interface DropReporterOptions {
  dsn: string
  deliverer: Deliverer
  spool: Pick<Spool, 'state' | 'drops' | 'reported'>
  clock: Pick<Clock, 'now' | 'wall'>
  limits: RateLimits
  /** Milliseconds between reports. */
  interval: number
}

/** Reports drops to a provider. */
export class DropReporter {
  readonly #options: DropReporterOptions
  #dueAt: number
  #reporting = false

  constructor(options: DropReporterOptions) {
    this.#options = options
    this.#dueAt = options.clock.now() + options.interval
  }

  /** Time when the next report is due, if there are drops to report. */
  get dueAt(): number {
    return this.#dueAt
  }

  /** Sends a report, unless there are no drops or a rate limit prevents it. */
  async report(signal: AbortSignal): Promise<void> {
    const { dsn, deliverer, spool, clock, limits, interval } = this.#options
    if (this.#reporting || !spool.state.unreported.includes(dsn) || limits.isLimited(['internal'])) return
    this.#reporting = true
    this.#dueAt = clock.now() + interval
    try {
      const discarded = await spool.drops(dsn)
      if (discarded.length === 0) return
      try {
        const receipt = await deliverer.deliver(createClientReport(dsn, discarded, clock.wall()), signal)
        limits.add(receipt?.limits ?? [])
      } catch (error) {
        if (!(error instanceof DeliveryFailed)) throw error
        limits.add(error.limits)
        // A refused report counts as sent, because it would always be refused.
        if (error.outcome !== 'refused') return
      }
      spool.reported(dsn, discarded)
    } catch {
      // The numbers stay in the spool for the next report.
    } finally {
      this.#reporting = false
    }
  }
}

/**
 * Creates the envelope that reports drops to a provider. A report that cannot be delivered is not spooled: its numbers
 * stay in the spool for the next report.
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
function createClientReport(dsn: string, discarded: readonly Discarded[], now: number): SpooledEnvelope {
  const payload = Buffer.from(JSON.stringify({ timestamp: now / 1_000, discarded_events: discarded }))
  const header = JSON.stringify({ type: 'client_report', length: payload.length })
  const body = Buffer.concat([Buffer.from(`${header}\n`), payload, Buffer.from('\n')])
  return {
    id: 0,
    attempts: 0,
    meta: { dsn, header: { dsn }, sentAt: now, receivedAt: now, counts: { internal: 1 } },
    size: body.length,
    body: () => yieldOnce(body)
  }
}
