import type { IngestContext } from './context.ts'
import { MINUTE } from '@hull/common/time.ts'

/** Milliseconds by which a client's clock may be off before it is set right: the way here takes its time too. Ours. */
const TOLERANCE = MINUTE

/** Milliseconds that something may lie back. What is older comes from a clock that stands, as Sentry's own bound has it. */
const MAX_AGE = 30 * 24 * 60 * MINUTE

type Times = Pick<IngestContext, 'receivedAt' | 'sentAt'>

/**
 * Milliseconds to add to a client's times: by how much its clock was off when it sent, and where that leaves something
 * in the future or long ago, by as much as it takes to have happened when it came.
 * @param at by the client's clock, milliseconds since the epoch
 */
export function clockShift(at: number, { receivedAt, sentAt }: Times): number {
  const drift = sentAt === undefined ? 0 : receivedAt - sentAt
  const shift = Math.abs(drift) > TOLERANCE ? drift : 0
  return isPlausible(at + shift, receivedAt) ? shift : receivedAt - at
}

/** Whether something may have happened then. */
export const isPlausible = (at: number, receivedAt: number): boolean =>
  at <= receivedAt + TOLERANCE && at >= receivedAt - MAX_AGE
