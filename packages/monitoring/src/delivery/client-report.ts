import type { SpooledEnvelope } from './deliverer.ts'
import type { Discarded } from '../spool/spool-messages.ts'

/**
 * Creates the envelope that reports drops to a provider. A report that cannot be delivered is not spooled: its numbers
 * stay in the spool for the next report.
 * @see https://develop.sentry.dev/sdk/telemetry/client-reports/
 */
export function createClientReport(dsn: string, discarded: readonly Discarded[], now: number): SpooledEnvelope {
  const payload = Buffer.from(JSON.stringify({ timestamp: now / 1_000, discarded_events: discarded }))
  const header = JSON.stringify({ type: 'client_report', length: payload.length })
  const body = Buffer.concat([Buffer.from(`${header}\n`), payload, Buffer.from('\n')])
  return {
    id: 0,
    attempts: 0,
    meta: { dsn, header: { dsn }, sentAt: now, receivedAt: now, counts: { internal: 1 } },
    size: body.length,
    async *body() {
      yield body
    }
  }
}
