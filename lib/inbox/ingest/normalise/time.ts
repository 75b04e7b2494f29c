import { DAY } from '../../buckets.ts'

/** Milliseconds by which a clock may be off before it is put right: less is the way of the envelope. As Relay has it. */
const MIN_DRIFT = 55_000

/** Milliseconds that something may lie ahead of when it came: clocks. */
const MAX_AHEAD = 60_000

/** Milliseconds that something may lie behind: what was sent later than this is told by when it came. As Relay has it. */
const MAX_BEHIND = 30 * DAY

export interface Arrival {
  receivedAt: number
  sentAt?: number
}

/**
 * When something happened by our clock: put right where the client's clock is off, and never in the future or long ago.
 * @param value seconds since the epoch, or a date as text
 * @returns milliseconds since the epoch; undefined where there is no such time
 */
export function toTime(value: unknown, { receivedAt, sentAt }: Arrival): number | undefined {
  const told = typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? parse(value) : NaN
  if (!Number.isFinite(told)) return undefined
  const drift = sentAt === undefined ? 0 : receivedAt - sentAt
  const at = Math.round(told + (Math.abs(drift) > MIN_DRIFT ? drift : 0))
  return at > receivedAt + MAX_AHEAD || at < receivedAt - MAX_BEHIND ? undefined : Math.min(at, receivedAt)
}

/** Without a zone it is UTC, as Sentry has it. */
function parse(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000
  return Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`)
}
