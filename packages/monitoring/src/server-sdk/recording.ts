import type { Event, Span } from '@sentry/core'
import { runInContext, type TraceContext } from '../tracing/context.ts'
import { MAX_TRANSACTION_SPANS } from '@hull/common/constants.ts'
import { createSpanId } from '../tracing/ids.ts'
import type { OpenSpan, SpanEnding, SpanInfo } from '../tracing/span.ts'
import { sentry } from './sentry.ts'
import { endSdkSpan } from './spans.ts'

/** One of our spans, in nothing but what it will be written from. */
export class HeldSpan implements OpenSpan {
  readonly id: string
  readonly info: SpanInfo
  readonly parent: HeldSpan | undefined
  readonly recording: Recording
  /** Seconds since 1970. */
  readonly startedAt: number
  /** The same; undefined while it is open. */
  endedAt: number | undefined
  ending: SpanEnding = {}
  /** What stands for it in the SDK, once the SDK was asked for anything. */
  sdk: Span | undefined

  constructor(info: SpanInfo, recording: Recording, parent?: HeldSpan) {
    this.id = info.id ?? createSpanId()
    this.info = info
    this.recording = recording
    this.parent = parent
    this.startedAt = recording.now
  }

  get op(): string {
    return this.info.op
  }

  end(ending: SpanEnding = {}): void {
    if (this.endedAt !== undefined) return
    this.ending = ending
    this.endedAt = this.recording.now
    if (this.sdk) endSdkSpan(this.sdk, ending, this.endedAt)
    else if (this === this.recording.root) this.recording.finish()
  }
}

/** What becomes of recordings whose request is over. */
export interface Sender {
  /** To be sent, sooner or later. */
  add: (recording: Recording) => void
  /** Sends it now, unless it is sent. */
  send: (recording: Recording) => void
}

/**
 * The spans of one request, as long as nobody asks the SDK for anything there: nearly always to the end, and then the
 * transaction is written without it, at a fraction of the cost. Otherwise the SDK is told of all spans so far, and keeps
 * the rest itself.
 * @see docs/decisions/020-own-transactions.md
 */
export class Recording {
  readonly root: HeldSpan
  /** In the order in which they were opened, the first one being the request's own. */
  readonly spans: HeldSpan[]
  readonly context: TraceContext
  /** What is told of the request, when it is over. */
  about: Event = {}
  readonly #sender: Sender
  /** When performance.now() was 0, in milliseconds since 1970, as the SDK has it. */
  readonly #origin = sentry().browserPerformanceTimeOrigin(performance.now()) ?? performance.timeOrigin
  #state: 'open' | 'whole' | 'handed over' | 'sent' = 'open'

  /** @param context of the request, with no scopes yet */
  constructor(context: TraceContext, info: SpanInfo, sender: Sender) {
    this.context = context
    this.#sender = sender
    this.root = new HeldSpan(info, this)
    this.spans = [this.root]
  }

  /**
   * Seconds since 1970. All spans here go by one clock, which is the SDK's and not set meanwhile: none ends before it
   * began, or after the one that it is part of.
   */
  get now(): number {
    return (this.#origin + performance.now()) / 1000
  }

  /** Whether spans are still to be opened here. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get isSent(): boolean {
    return this.#state === 'sent'
  }

  open(info: SpanInfo, parent: HeldSpan): HeldSpan {
    const span = new HeldSpan(info, this, parent)
    this.spans.push(span)
    return span
  }

  /** The request is over. What is still open, or too much for one transaction, is for the SDK to wait for and to count. */
  finish(): void {
    const isWhole =
      this.spans.length <= MAX_TRANSACTION_SPANS + 1 && this.spans.every(({ endedAt }) => endedAt !== undefined)
    if (!isWhole) return this.handOver()
    this.#state = 'whole'
    this.#sender.add(this)
  }

  /** It is sent as it is. False: that was done, or the SDK has it. */
  leave(): boolean {
    if (this.#state !== 'whole') return false
    this.#state = 'sent'
    return true
  }

  /** The SDK is asked for something: who keeps these spans is decided now. */
  settle(): void {
    if (this.#state === 'open') this.handOver()
    else if (this.#state === 'whole') this.#sender.send(this)
  }

  /** From here on the SDK has it, unless it is sent. */
  handOver(): void {
    if (this.#state === 'handed over' || this.#state === 'sent') return
    this.#state = 'handed over'
    runInContext(this.context, () => {
      for (const span of this.spans) span.sdk = toSdk(span)
      if (this.context.scopes) sentry()._INTERNAL_setSpanForScope(this.context.scopes.scope, this.root.sdk)
      // The last one sends them.
      for (const span of this.spans.toReversed())
        if (span.endedAt !== undefined) endSdkSpan(span.sdk!, span.ending, span.endedAt)
    })
  }
}

function toSdk({ info, id, startedAt, parent }: HeldSpan): Span {
  // The SDK takes an id, and does not say so in its types.
  const options = { ...info, spanId: id, startTime: startedAt, ...(parent?.sdk && { parentSpan: parent.sdk }) }
  return sentry().startInactiveSpan(options)
}
