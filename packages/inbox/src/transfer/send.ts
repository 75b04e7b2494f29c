import { setTimeout as sleep } from 'node:timers/promises'
import { fullJitter } from '@hull/common/full-jitter.ts'
import {
  createHttpDeliverer,
  createRateLimits,
  DeliveryFailed,
  systemClock,
  type SpooledEnvelope
} from '@hull/monitoring/delivery'
import { categoryOf } from '@hull/monitoring/envelope'
import { InboxReplayStopped } from '../errors.ts'
import { toLogItem, type OutgoingItem } from './to-items.ts'

/** An envelope, and the lines that it has. */
export interface Outgoing {
  items: OutgoingItem[]
  /** Log lines, which become one item. */
  logs?: object[]
  eventId?: string
  /** Numbers of the lines. */
  lines: number[]
}

export interface SenderOptions {
  dsn: string
  /** Maximum milliseconds in which nothing is accepted, and maximum milliseconds to wait for a rate limit. */
  giveUp: number
}

export interface Sender {
  /**
   * Sends an envelope, again and again while the receiver fails or limits.
   * @returns why the receiver refuses it; undefined if it was accepted
   * @throws InboxReplayStopped
   */
  send: (envelope: Outgoing) => Promise<string | undefined>
  close: () => Promise<void>
}

/** Maximum milliseconds before the second attempt, which double with each further one, and their maximum. */
const FIRST_DELAY = 500
const LONGEST_DELAY = 60_000

/** Answers that no other envelope would change: wrong key, project or address. */
const WRONG_DSN = [401, 403, 404, 405]

/** Sends envelopes to the provider of a DSN, and honours its rate limits. */
export function createSender({ dsn, giveUp }: SenderOptions): Sender {
  const deliverer = createHttpDeliverer({ dsn })
  const limits = createRateLimits(systemClock)
  const stop = new AbortController()
  let acceptedAt = performance.now()

  async function send(outgoing: Outgoing): Promise<string | undefined> {
    const envelope = toEnvelope(dsn, outgoing)
    const categories = Object.keys(envelope.meta.counts)
    for (let tries = 0; ; tries++) {
      await waitForLimits(categories)
      stop.signal.throwIfAborted()
      try {
        const receipt = await deliverer.deliver(envelope, stop.signal)
        limits.add(receipt?.limits ?? [])
        acceptedAt = performance.now()
        return undefined
      } catch (error) {
        stop.signal.throwIfAborted()
        if (!(error instanceof DeliveryFailed)) throw error
        limits.add(error.limits)
        if (error.outcome === 'refused') return refuse(error)
        // The limits of a 429 may have ended, or be of other categories: then it is a failure.
        if (error.outcome === 'limited' && limits.delayOf(categories) > 0) continue
        const delay = Math.max(error.retryAfter ?? 0, fullJitter(FIRST_DELAY, tries, LONGEST_DELAY))
        checkPatience(delay, error.message)
        await sleep(delay, undefined, { signal: stop.signal })
      }
    }
  }

  function refuse({ status, message }: DeliveryFailed): string {
    if (WRONG_DSN.includes(status ?? 0)) throw end(`the receiver ${message}; check the DSN`)
    return message
  }

  async function waitForLimits(categories: readonly string[]) {
    for (let delay; (delay = limits.delayOf(categories)) > 0;) {
      if (delay > giveUp) throw end(`the receiver accepts no more until ${new Date(Date.now() + delay).toISOString()}`)
      checkPatience(delay, 'a rate limit')
      await sleep(delay, undefined, { signal: stop.signal })
    }
  }

  /** @throws InboxReplayStopped if the receiver will not have accepted anything for too long after this delay */
  function checkPatience(delay: number, last: string) {
    if (performance.now() + delay - acceptedAt > giveUp)
      throw end(`the receiver accepted nothing for ${Math.round(giveUp / 1_000)} s, last: ${last}`)
  }

  function end(why: string): Error {
    const error = new InboxReplayStopped(why)
    stop.abort(error)
    return error
  }

  return { send, close: deliverer.close }
}

/** Without `sent_at`, so that the receiver does not move the times. */
function toEnvelope(dsn: string, { items: others, logs, eventId }: Outgoing): SpooledEnvelope {
  const items = logs ? [...others, toLogItem(logs)] : others
  const body = Buffer.concat(
    items.flatMap(({ header, payload }) => toParts({ ...header, length: payload.length }, payload))
  )
  const counts: Record<string, number> = {}
  for (const { header } of items) counts[categoryOf(header.type)] = (counts[categoryOf(header.type)] ?? 0) + 1
  return {
    id: 0,
    attempts: 0,
    meta: { dsn, header: eventId === undefined ? {} : { event_id: eventId }, receivedAt: Date.now(), counts },
    size: body.length,
    bytes: body,
    async *body() {
      yield body
    }
  }
}

const toParts = (header: object, payload: Buffer): Buffer[] => [
  Buffer.from(`${JSON.stringify(header)}\n`),
  payload,
  Buffer.from('\n')
]
