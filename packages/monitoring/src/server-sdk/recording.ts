import type { Event, Span } from '@sentry/core'
import { runInContext, type TraceContext } from '../tracing/context.ts'
import { MAX_TRANSACTION_SPANS } from '@hull/common/constants.ts'
import { createSpanId } from '../tracing/ids.ts'
import type { OpenSpan, SpanEnding, SpanInfo } from '../tracing/span.ts'
import { sentry } from './sentry.ts'
import { endSdkSpan } from './spans.ts'

/** One of our spans, with only the data to write it from. */
export class RecordedSpan implements OpenSpan {
  readonly id: string
  readonly info: SpanInfo
  readonly parent: RecordedSpan | undefined
  readonly recording: Recording
  /** Seconds since 1970. */
  readonly startedAt: number
  /** Seconds since 1970; undefined while the span is open. */
  endedAt: number | undefined
  ending: SpanEnding = {}
  /** The SDK's span, if the recording was handed over to the SDK. */
  sdk: Span | undefined

  constructor(info: SpanInfo, recording: Recording, parent?: RecordedSpan) {
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

/** Sends recordings whose request has ended. */
export interface Sender {
  /** Adds a recording to send soon. */
  add: (recording: Recording) => void
  /** Sends a recording now, unless it was already sent. */
  send: (recording: Recording) => void
  /** Counts spans that were not kept. */
  countOmitted: (spans: number) => void
}

/**
 * Spans of one request, as long as no code in the request uses the SDK. That is nearly always true to the end, and the
 * transaction is then written without the SDK, at a fraction of the cost. Otherwise all spans so far are handed over to
 * the SDK, which records the rest itself.
 * @see docs/decisions/020-own-transactions.md
 */
export class Recording {
  readonly root: RecordedSpan
  /** In the order in which they were opened; the first is the request's own. */
  readonly spans: RecordedSpan[]
  readonly context: TraceContext
  /** Data about the request, set when it ends. */
  requestData: Event = {}
  readonly #sender: Sender
  #omitted = 0
  /** Time at which performance.now() was 0, in milliseconds since 1970, as the SDK calculates it. */
  readonly #origin = sentry().browserPerformanceTimeOrigin(performance.now()) ?? performance.timeOrigin
  #state: 'open' | 'finished' | 'handed over' | 'sent' = 'open'

  /** @param context of the request, without scopes so far */
  constructor(context: TraceContext, info: SpanInfo, sender: Sender) {
    this.context = context
    this.#sender = sender
    this.root = new RecordedSpan(info, this)
    this.spans = [this.root]
  }

  /**
   * Seconds since 1970, on the SDK's clock. The clock is the same for all spans and never adjusted: no span ends before
   * it began, or after its parent.
   */
  get now(): number {
    return (this.#origin + performance.now()) / 1000
  }

  /** Whether new spans are added to this recording. */
  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get isSent(): boolean {
    return this.#state === 'sent'
  }

  open(info: SpanInfo, parent: RecordedSpan): RecordedSpan {
    const span = new RecordedSpan(info, this, parent)
    // More than a transaction holds, so that the SDK counts it. Further ones would grow with the time of the request.
    if (this.spans.length <= MAX_TRANSACTION_SPANS + 1) this.spans.push(span)
    else this.#omitted++
    return span
  }

  /** Ends the recording with its request. The SDK gets it if spans are still open, or too many for one transaction. */
  finish(): void {
    const isComplete =
      this.spans.length <= MAX_TRANSACTION_SPANS + 1 && this.spans.every(({ endedAt }) => endedAt !== undefined)
    if (!isComplete) return this.handToSdk()
    this.#state = 'finished'
    this.#sender.add(this)
  }

  /**
   * Marks a finished recording as sent.
   * @returns false if it was already sent or handed over
   */
  markSent(): boolean {
    if (this.#state !== 'finished') return false
    this.#state = 'sent'
    return true
  }

  /** Call when code uses the SDK: hands over an open recording, and sends a finished one. */
  flushForSdk(): void {
    if (this.#state === 'open') this.handToSdk()
    else if (this.#state === 'finished') this.#sender.send(this)
  }

  /** Hands the spans over to the SDK, unless they were sent. */
  handToSdk(): void {
    if (this.#state === 'handed over' || this.#state === 'sent') return
    this.#state = 'handed over'
    if (this.#omitted > 0) this.#sender.countOmitted(this.#omitted)
    runInContext(this.context, () => {
      for (const span of this.spans) span.sdk = toSdk(span)
      if (this.context.scopes) sentry()._INTERNAL_setSpanForScope(this.context.scopes.scope, this.root.sdk)
      // The last one is the root, whose end sends them.
      for (const span of this.spans.toReversed())
        if (span.endedAt !== undefined) endSdkSpan(span.sdk!, span.ending, span.endedAt)
    })
  }
}

function toSdk({ info, id, startedAt, parent }: RecordedSpan): Span {
  // The SDK accepts an id, but its types do not have it.
  const options = { ...info, spanId: id, startTime: startedAt, ...(parent?.sdk && { parentSpan: parent.sdk }) }
  return sentry().startInactiveSpan(options)
}
