import { DirectDelivery, type Unspooled } from './direct-delivery.ts'
import { Breaker, type BreakerState } from './breaker.ts'
import { fromLane } from '../envelope/categories.ts'
import type { Clock } from './clock.ts'
import { Backpressure } from './backpressure.ts'
import { DeliveryFailed, EnvelopeGone, type Deliverer, type FailedOutcome } from './deliverer.ts'
import { createRateLimits, type RateLimits } from './rate-limits.ts'
import { ProviderLog } from './provider-log.ts'
import { DropReporter, REPORT_INTERVAL } from './drop-reporter.ts'
import { RATE_LIMIT_DELAY } from '@hull/common/constants.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import { SpoolUnavailable } from '../errors.ts'
import type { AttemptResults, Spool, LeasedEnvelope } from '../spool/spool.ts'
import type { DropReason } from '../spool/drops.ts'

/** Concurrent attempts. Our choice: some hundred envelopes a second to a provider that is 50 ms away. */
export const CONCURRENCY = 16

/** Prefetch: envelopes read from the spool per free delivery slot, so that the queue asks less often and does not wait for the spool. */
const TAKE = 4

/** Milliseconds between attempts to read a spool that cannot be read. */
const READ_DELAY = 1_000

export type DeliveryOutcome = 'delivered' | FailedOutcome

export interface DeliveryQueueOptions {
  dsn: string
  /** Host and project without a key, for the log. */
  label: string
  log: Log
  deliverer: Deliverer
  spool: Spool
  clock: Clock
  /** @default CONCURRENCY */
  concurrency?: number
  /** Milliseconds between reports of drops. @default REPORT_INTERVAL */
  reportInterval?: number
}

/** Delivers the envelopes of one DSN from the spool to their provider. */
export class DeliveryQueue {
  readonly limits: RateLimits
  readonly attempts: Record<DeliveryOutcome, number> = { delivered: 0, refused: 0, limited: 0, failed: 0 }
  readonly #options: Required<DeliveryQueueOptions>
  readonly #breaker: Breaker
  readonly #direct: DirectDelivery
  readonly #pace: Backpressure
  readonly #reporter: DropReporter
  readonly #log: ProviderLog
  readonly #closing = new AbortController()
  #queue: LeasedEnvelope[] = []
  /** Ids of envelopes that are being sent. */
  readonly #sending = new Set<number>()
  #taking = false
  /** Counts reasons to read the spool again. An answer to an earlier question is not final. */
  #changes = 0
  /** Whether the spool may have more envelopes than were taken. */
  #mayHaveMore = true
  /** Whether a probe may find an envelope. If one found none, the next waits for a change. */
  #mayFindProbe = true
  /** Time when an envelope that was set aside is due. */
  #nextDue = Infinity
  /** Time when the next rate limit ends. */
  #limitEnd = Infinity
  /** Time before which a spool that could not be read is not read again. */
  #readAt = 0
  /** Whether the provider answered the last attempt. */
  #answered = true
  #cancelWake = () => {}
  #idle: Array<() => void> = []

  constructor({ concurrency = CONCURRENCY, reportInterval = REPORT_INTERVAL, ...options }: DeliveryQueueOptions) {
    this.#options = { ...options, concurrency, reportInterval }
    this.limits = createRateLimits(options.clock)
    this.#breaker = new Breaker(options.clock)
    this.#pace = new Backpressure(concurrency)
    this.#direct = new DirectDelivery(options.clock, (discarded) => options.spool.countDrops(options.dsn, discarded))
    this.#log = new ProviderLog(options.log, options.clock, options.label)
    this.#reporter = new DropReporter({ ...options, interval: reportInterval, limits: this.limits })
  }

  get breaker(): BreakerState {
    return this.#breaker.state
  }

  /** Drop reason for envelopes that expired without a rate limit. */
  get expiry(): DropReason {
    return this.#breaker.failing && !this.#answered ? 'network_error' : 'expired'
  }

  /** Call when the spool has new envelopes. */
  notify(): void {
    this.#noteChange()
    this.pump()
  }

  /** Starts everything that can start now. Cheap, and safe to call at any time. */
  pump(): void {
    const { clock, concurrency } = this.#options
    if (this.#closing.signal.aborted) return
    const now = clock.now()
    if (now >= this.#nextDue || now >= this.#limitEnd) this.#noteChange()
    if (now >= this.#nextDue) this.#nextDue = Infinity
    if (this.#maySend(now)) {
      while (this.#queue.length > 0 && this.#mayBegin(now)) void this.#send(this.#queue.shift()!)
      for (let next; (next = this.#nextDirect(now));) void this.#send(next)
      if (this.#mayHaveMore && !this.#taking && this.#queue.length < concurrency) void this.#take(false)
    }
    if (this.#mayProbe(now)) void this.#take(true)
    if (now >= this.#reporter.dueAt && !this.#breaker.failing) void this.report()
    this.#sleep(now)
    if (this.isIdle) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /**
   * Delivers an envelope that is not in the spool, if nothing prevents it.
   * @returns whether the envelope is done; otherwise it must be spooled, and may arrive twice. undefined if it must be
   * spooled now
   */
  deliverDirectly(envelope: Unspooled): Promise<boolean> | undefined {
    if (!this.#mayDeliverDirectly(envelope.lane)) return undefined
    const done = this.#direct.add(envelope)
    this.pump()
    return done
  }

  /**
   * Whether everything that can be delivered now is delivered. Envelopes that wait for a limit or a failing provider do
   * not count.
   */
  get isIdle(): boolean {
    if (this.#taking || this.#sending.size > 0) return false
    return !this.#maySend(this.#options.clock.now()) || (!this.#mayHaveMore && this.#queue.length === 0)
  }

  /** Resolves when {@link isIdle} is true. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.pump()
    })
  }

  /** Reports drops to the provider, unless a rate limit prevents it. */
  report(): Promise<void> {
    return this.#reporter.report(this.#closing.signal)
  }

  /** Aborts all attempts. Their envelopes are still in the spool, or are given back to be spooled. */
  close(): void {
    this.#closing.abort()
    this.#direct.close()
    this.#cancelWake()
    for (const resolve of this.#idle.splice(0)) resolve()
  }

  #noteChange(): void {
    this.#changes++
    this.#mayHaveMore = this.#mayFindProbe = true
  }

  #maySend(now: number): boolean {
    const { state, heldUntil } = this.#breaker
    return state === 'closed' && now >= heldUntil && now >= this.#readAt && this.limits.blocked() !== 'all'
  }

  /**
   * Whether an attempt for an envelope of the spool may begin. Call it before each attempt; true counts as an attempt.
   */
  #mayBegin(now: number): boolean {
    const { spool, concurrency } = this.#options
    if (!spool.inBurst) return this.#sending.size < concurrency
    return this.#pace.mayBegin(now, this.#sending.size)
  }

  /**
   * Whether an envelope may be delivered from memory. False while envelopes wait in the spool or the provider fails.
   */
  #mayDeliverDirectly(lane: string): boolean {
    const { spool, clock, concurrency } = this.#options
    if (this.#closing.signal.aborted || this.#mayHaveMore || this.#taking || spool.inBurst) return false
    if (this.#direct.waiting >= TAKE * concurrency || this.#breaker.failing || !this.#maySend(clock.now())) return false
    return !this.limits.isLimited(fromLane(lane))
  }

  /** Returns the next envelope from memory, after those of the spool. */
  #nextDirect(now: number): LeasedEnvelope | undefined {
    const underWay = this.#sending.size
    return this.#queue.length > 0 || underWay >= this.#options.concurrency
      ? undefined
      : this.#direct.next(now, underWay)
  }

  #mayProbe(now: number): boolean {
    const { spool, dsn, concurrency } = this.#options
    const isDue = this.#breaker.failing && now >= this.#breaker.probeAt && now >= this.#readAt
    if (!isDue || !this.#mayFindProbe || this.#taking) return false
    if (this.#sending.size >= concurrency || this.limits.blocked() === 'all') return false
    return (spool.state.waiting[dsn] ?? 0) > this.#underWay().length
  }

  /** Schedules {@link pump} for the next time at which something is due without an event. */
  #sleep(now: number): void {
    const { spool, dsn, clock } = this.#options
    // An end that has passed since `now` is noticed by the next call.
    const earlier = this.#limitEnd > now ? this.#limitEnd : Infinity
    this.#limitEnd = Math.min(earlier, this.limits.nextEnd() ?? Infinity)
    const moments = [
      this.#nextDue,
      this.#limitEnd,
      this.#readAt,
      this.#pace.until,
      this.#direct.moreAt,
      this.#breaker.heldUntil
    ]
    if (this.#breaker.failing) moments.push(this.#breaker.probeAt)
    if (spool.state.unreported.includes(dsn)) moments.push(this.#reporter.dueAt)
    const next = Math.min(...moments.filter((moment) => moment > now))
    this.#cancelWake()
    this.#cancelWake = next === Infinity ? () => {} : clock.after(next - now, () => this.pump())
  }

  /** @param probing takes one envelope, even if it is not due, to check whether the provider works again */
  async #take(probing: boolean): Promise<void> {
    const { spool, dsn, clock, concurrency } = this.#options
    const count = probing ? 1 : TAKE * concurrency
    const changes = this.#changes
    this.#taking = true
    try {
      const { envelopes, nextDue } = await spool.take({
        dsn,
        blocked: this.limits.blocked(),
        count,
        now: clock.now(),
        exclude: this.#underWay(),
        evenEarly: probing
      })
      this.#nextDue = Math.min(this.#nextDue, nextDue ?? Infinity)
      if (probing) this.#mayFindProbe = envelopes.length > 0 || changes !== this.#changes
      else this.#mayHaveMore = envelopes.length === count || changes !== this.#changes
      if (probing) this.#probe(envelopes[0])
      else if (this.#breaker.state === 'closed') this.#queue.push(...envelopes)
    } catch {
      this.#readLater()
    }
    this.#taking = false
    this.pump()
  }

  /** The spool cannot be read. Waits before the next attempt. */
  #readLater(): void {
    this.#readAt = this.#options.clock.now() + READ_DELAY
  }

  #probe(envelope: LeasedEnvelope | undefined): void {
    if (envelope === undefined) return
    this.#breaker.probe()
    void this.#send(envelope)
  }

  /** Ids of spooled envelopes that are queued or being sent. */
  #underWay(): number[] {
    return [...this.#sending, ...this.#queue.map(({ id }) => id)].filter((id) => id > 0)
  }

  /** Returns the spool or the direct delivery, whichever has the envelope. */
  #storeOf(id: number): AttemptResults {
    return id > 0 ? this.#options.spool : this.#direct
  }

  async #send(envelope: LeasedEnvelope): Promise<void> {
    const { deliverer } = this.#options
    const { id } = envelope
    this.#sending.add(id)
    try {
      const receipt = await deliverer.deliver(envelope, this.#closing.signal)
      this.#answered = true
      this.#limit(receipt?.limits ?? [])
      this.#storeOf(id).delivered(id)
      this.attempts.delivered++
      this.#succeed()
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#failed(envelope, error)
    }
    this.#sending.delete(id)
    // An envelope from memory that is not done must be spooled, whatever the error was.
    this.#direct.setAside(id)
    this.pump()
  }

  #failed(envelope: LeasedEnvelope, error: unknown): void {
    const { clock } = this.#options
    if (error instanceof EnvelopeGone) return
    if (error instanceof SpoolUnavailable) {
      this.#readLater()
      return this.#setAside(envelope.id, this.#readAt)
    }
    const failure = error instanceof DeliveryFailed ? error : new DeliveryFailed('failed', 'rejected', { cause: error })
    this.attempts[failure.outcome]++
    this.#answered = failure.answered
    this.#limit(failure.limits)
    if (failure.outcome === 'failed') {
      this.#log.failed(failure.message)
      this.#setAside(envelope.id, this.#breaker.retryAt(envelope.attempts))
      this.#breaker.fail(envelope.id, failure.retryAfter)
      if (this.#breaker.state === 'open') this.#forgetQueue()
      return
    }
    this.#succeed()
    if (failure.outcome === 'refused') {
      this.#log.refused(failure.message)
      return this.#storeOf(envelope.id).drop(envelope.id, 'send_error')
    }
    // A 429 whose limits do not include this envelope, or have ended, does not say when to try again.
    if (!this.limits.isLimited(fromLane(envelope.lane))) this.#setAside(envelope.id, clock.now() + RATE_LIMIT_DELAY)
  }

  /** Records that the provider works: it answered, even if it did not accept the envelope. */
  #succeed(): void {
    this.#log.worked()
    if (!this.#breaker.succeed()) return
    this.#mayHaveMore = true
    this.#options.spool.release(this.#options.dsn)
  }

  #setAside(id: number, due: number): void {
    if (id > 0) this.#nextDue = Math.min(this.#nextDue, due)
    this.#storeOf(id).setAside(id, due)
  }

  /** Clears the queue. Its envelopes are still in the spool, or are given back to be spooled. */
  #forgetQueue(): void {
    this.#direct.giveBack(() => true)
    this.#queue = []
    this.#mayHaveMore = true
  }

  #limit(limits: Parameters<RateLimits['add']>[0]): void {
    if (limits.length === 0) return
    this.limits.add(limits)
    const isLimited = (lane: string) => this.limits.isLimited(fromLane(lane))
    this.#queue = this.#queue.filter(({ lane }) => !isLimited(lane))
    this.#direct.giveBack(isLimited)
  }
}
