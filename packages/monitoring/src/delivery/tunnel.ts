import { randomUUID } from 'node:crypto'
import { completesWithin } from '@hull/common/completes-within.ts'
import { createTrustedClock, type TrustedClock } from '@hull/common/trusted-clock.ts'
import { mayDeliverDirectly, toLane } from '../envelope/categories.ts'
import { limitsUnderPressure } from './rate-limits.ts'
import { systemClock, type Clock } from './clock.ts'
import { DeliveryQueue, type DeliveryQueueOptions, type DeliveryOutcome } from './delivery-queue.ts'
import type { BreakerState } from './breaker.ts'
import type { Deliverer } from './deliverer.ts'
import { toProviderAddress } from './provider-address.ts'
import { createHttpDeliverer, type HttpDeliverer, type HttpTimeouts } from './http-deliverer.ts'
import { readOwnEnvelope, toSendResult, type SendResult } from './own-envelope.ts'
import { openSpool, type SpoolOptions } from '../spool/spool.ts'
import { toDiscarded, type Discarded } from '../spool/drops.ts'
import type { Envelope, EnvelopeMeta, EnvelopeSink, EnvelopeWriter } from './envelope-sink.ts'

/** Milliseconds between checks for expired envelopes. */
const EXPIRY_INTERVAL = 60_000

const CLOCK_JUMPED = 'the clock jumped: nothing in the spool expires until the new time has held for six hours'

export interface Provider {
  /** DSN as clients send it; must match as a whole. */
  dsn: string
  /** Delivers to the provider. @default HTTP, to the address in the DSN */
  deliverer?: Deliverer
  /** Maximum concurrent attempts. @default 16 */
  concurrency?: DeliveryQueueOptions['concurrency']
}

export interface TunnelOptions extends Pick<
  SpoolOptions,
  'file' | 'maxBytes' | 'maxFileBytes' | 'checkInterval' | 'log'
> {
  /** Providers to deliver to. Envelopes in the spool for any other DSN wait until they expire. */
  providers: readonly Provider[]
  /** Milliseconds after which an undelivered envelope is dropped. */
  maxAge: number
  /** Time limits of deliveries over HTTP. */
  timeouts?: HttpTimeouts
  clock?: Clock
  /** Milliseconds between reports of drops to a provider. @default 60_000 */
  reportInterval?: DeliveryQueueOptions['reportInterval']
}

export interface ProviderStats {
  /** Host and project without a key, as a label. */
  provider: string
  breaker: BreakerState
  /** Attempts since the start, by outcome. */
  attempts: Readonly<Record<DeliveryOutcome, number>>
  /** Number of waiting envelopes. */
  waiting: number
}

export interface TunnelStats {
  /** Bytes that count against `maxBytes`. */
  bytes: number
  envelopes: number
  /** Milliseconds since the oldest envelope was received; 0 if there is none. */
  oldestAge: number
  /** Whether envelopes are accepted. */
  available: boolean
  /** Milliseconds that the clock jumped, as long as the jump prevents expiry; otherwise 0. */
  clockJump: number
  /** Items dropped since the start, by reason and category. */
  drops: Discarded[]
  /** Envelopes delivered since the start. */
  delivered: number
  providers: ProviderStats[]
}

export interface Tunnel extends EnvelopeSink {
  begin: () => EnvelopeWriter
  /**
   * Accepts an envelope of the server's own SDK: `makeRequest: ({ body }) => tunnel.send(dsn, body)`. Resolves when the
   * envelope is on disk. A transaction is delivered from memory if its provider works, and spooled if that fails.
   * @see docs/decisions/027-past-the-spool.md
   * @throws SpoolUnavailable
   * @throws TypeError for a DSN that is not one of the providers
   */
  send: (dsn: string, envelope: Uint8Array | string) => Promise<SendResult>
  stats: () => TunnelStats
  /**
   * Delivers what can be delivered now, for up to `timeout` milliseconds. Does not wait for a failing provider.
   * @returns whether nothing is left
   */
  flush: (timeout: number) => Promise<boolean>
  /** Stops deliveries and closes the spool. Its envelopes are delivered after the next start. */
  close: () => Promise<void>
}

/**
 * Opens a tunnel from clients to providers. Stores accepted envelopes on disk and delivers each when its provider
 * accepts it.
 * @throws TypeError for a malformed DSN
 */
export function openTunnel(options: TunnelOptions): Tunnel {
  const { providers, maxAge, maxBytes, log, clock = systemClock, timeouts, reportInterval } = options
  const drops = new Map<string, Discarded>()
  const queues = new Map<string, DeliveryQueue>()
  const labels = new Map(providers.map(({ dsn }) => [dsn, toProviderAddress(dsn).label]))
  const pending = new Set<Promise<void>>()
  const opened: HttpDeliverer[] = []
  let cancelExpiry = () => {}
  /** Nothing expires before the spool has told when an earlier process was running. */
  let trusted: TrustedClock | undefined

  const spool = openSpool({ ...options, log, onChange })
  for (const { dsn, concurrency, deliverer = openHttp(dsn, concurrency) } of providers) {
    const label = labels.get(dsn)!
    queues.set(dsn, new DeliveryQueue({ dsn, label, log, deliverer, spool, clock, concurrency, reportInterval }))
  }
  for (const queue of queues.values()) queue.pump()
  expire()

  function openHttp(dsn: string, concurrency: number | undefined): Deliverer {
    const deliverer = createHttpDeliverer({ dsn, clock, timeouts, connections: concurrency })
    opened.push(deliverer)
    return deliverer
  }

  function onChange(discarded: readonly Discarded[], arrived?: ReadonlySet<string>) {
    for (const { reason, category, quantity } of discarded) {
      const key = `${reason}/${category}`
      const known = drops.get(key)
      if (known) known.quantity += quantity
      else drops.set(key, { reason, category, quantity })
    }
    for (const [dsn, queue] of queues) {
      if (arrived === undefined || arrived.has(dsn)) queue.notify()
      else if (discarded.length > 0) queue.pump()
    }
    if (trusted === undefined || spool.state.moreExpired) dropExpired()
  }

  function expire() {
    dropExpired()
    cancelExpiry = clock.after(EXPIRY_INTERVAL, expire)
  }

  function dropExpired() {
    if (!spool.isLoaded) return
    trusted ??= createTrustedClock({
      wall: clock.wall,
      steady: clock.now,
      lastSeen: spool.state.newestLeft,
      onJump: (jump) => log.warn({ jump }, jump === 0 ? 'the clock is trusted again' : CLOCK_JUMPED)
    })
    const reasons: Parameters<typeof spool.expire>[1] = {}
    for (const [dsn, queue] of queues) reasons[dsn] = { blocked: queue.limits.blocked(), otherwise: queue.expiry }
    spool.expire(trusted.now() - maxAge, reasons)
  }

  function rateLimits(dsn: string) {
    return queues.get(dsn)?.limits.toHeader(limitsUnderPressure(spool.state.bytes / maxBytes))
  }

  async function send(dsn: string, envelope: Uint8Array | string): Promise<SendResult> {
    if (!queues.has(dsn)) throw new TypeError('send() takes a DSN that is one of the providers')
    const bytes = typeof envelope === 'string' ? Buffer.from(envelope) : envelope
    const { body, ...known } = readOwnEnvelope(bytes)
    const meta = { ...known, dsn, receivedAt: clock.wall(), key: randomUUID() }
    const delivery = deliverDirectly(meta, body)
    if (delivery) track(delivery)
    else await track(keep({ meta, body }))
    return toSendResult(rateLimits(dsn))
  }

  function track(work: Promise<void>): Promise<void> {
    pending.add(work)
    return work.finally(() => pending.delete(work))
  }

  async function keep({ meta, body }: Envelope): Promise<void> {
    const writer = spool.begin()
    await writer.write(body)
    await writer.commit(meta)
  }

  /**
   * Delivers an envelope from memory; spools it if that fails.
   * @returns undefined if the envelope must be spooled now
   */
  function deliverDirectly(meta: EnvelopeMeta, body: Uint8Array): Promise<void> | undefined {
    const { dsn, counts } = meta
    const lane = toLane(counts)
    if (!mayDeliverDirectly(lane)) return undefined
    const delivery = queues.get(dsn)!.deliverDirectly({ meta, lane, bytes: body })
    return delivery?.then(async (isDone) => {
      if (isDone) return
      // No caller is left to receive the error.
      await keep({ meta, body }).catch(() => spool.countDrops(dsn, toDiscarded(counts, 'network_error')))
    })
  }

  /** Delivers until nothing is left, since envelopes from memory may return to the spool. */
  async function deliverAll(): Promise<void> {
    const all = [...queues.values()]
    do {
      await Promise.allSettled(pending)
      await Promise.all(all.map((queue) => queue.idle()))
      await Promise.all(all.map((queue) => queue.report()))
      await spool.settled()
    } while (pending.size > 0 || all.some(({ isIdle }) => !isIdle))
  }

  return {
    accept: (envelope) => track(keep(envelope)),
    begin: spool.begin,
    rateLimits,
    send,
    stats() {
      const { bytes, envelopes, oldest, waiting } = spool.state
      const all = [...queues].map(([dsn, { breaker, attempts }]) => ({
        provider: labels.get(dsn)!,
        breaker,
        attempts: { ...attempts },
        waiting: waiting[dsn] ?? 0
      }))
      return {
        bytes,
        envelopes,
        oldestAge: oldest === undefined ? 0 : Math.max(0, clock.wall() - oldest),
        available: spool.available,
        clockJump: trusted?.jump ?? 0,
        drops: [...drops.values()].map((drop) => ({ ...drop })),
        delivered: all.reduce((sum, { attempts }) => sum + attempts.delivered, 0),
        providers: all
      }
    },
    async flush(timeout) {
      await completesWithin(deliverAll(), timeout)
      return spool.isLoaded && spool.state.envelopes === 0 && pending.size === 0
    },
    async close() {
      cancelExpiry()
      for (const queue of queues.values()) queue.close()
      // Envelopes that the queues give back are spooled first. The spool limits the time for that.
      await new Promise(setImmediate)
      await spool.close()
      await Promise.all(opened.map((deliverer) => deliverer.close()))
    }
  }
}
