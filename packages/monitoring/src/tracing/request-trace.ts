import type { FastifyRequest } from 'fastify'
import { nameOfRoute } from '@hull/common/route-name.ts'
import type { TraceContext } from './context.ts'
import { formatBaggage, mergeMembers, parseBaggage, type TraceFacts } from './baggage.ts'
import { createSpanId, createTraceId } from './ids.ts'
import type { Propagation } from './incoming.ts'
import { formatSentryTrace, formatTraceparent, type Parent } from './parent.ts'
import { formatRand, type Decision, type ParentDecision } from './sampling.ts'
import type { OpenSpan, Recorder } from './span.ts'
import type { TraceHead } from './trace-head.ts'

/** Headers that carry a trace. */
export type PropagationHeaders = Partial<Record<'sentry-trace' | 'traceparent' | 'baggage' | 'tracestate', string>>

/** Records the spans of traces. */
export interface TraceRecorder {
  recorder: Recorder
  head: TraceHead
}

/** Trace of a request, either continued from its caller or started by the request. */
export class RequestTrace {
  readonly traceId: string
  /** Span id of the request itself, the parent of all work in it. */
  readonly spanId = createSpanId()
  /** Set by the request's first hook. */
  request: FastifyRequest | undefined
  /** Async context of the request. */
  context: TraceContext | undefined
  /** The request's own span; undefined if the request is not recorded. */
  root: OpenSpan | undefined
  /** Origins whose requests carry the trace. */
  readonly targets: ReadonlySet<string>
  readonly #incoming: Propagation
  readonly #traceRecorder: TraceRecorder | undefined
  #decision: Decision | undefined
  #facts: TraceFacts | undefined

  /** @param traceRecorder undefined if no spans are recorded; the trace is passed on anyway */
  constructor(incoming: Propagation, targets: ReadonlySet<string>, traceRecorder?: TraceRecorder) {
    this.targets = targets
    this.#incoming = incoming
    this.#traceRecorder = traceRecorder
    this.traceId = incoming.parent?.traceId ?? createTraceId()
  }

  get parentSpanId(): string | undefined {
    return this.#incoming.parent?.spanId
  }

  /** Opens spans in this trace. */
  get recorder(): Recorder | undefined {
    return this.#traceRecorder?.recorder
  }

  /** Whether spans are recorded; undefined if the caller has not decided and this server records none. */
  get sampled(): boolean | undefined {
    return this.#decision ? this.#decision.sampled : this.#incoming.parent?.sampled
  }

  /** Random number of the trace, from 0 up to 1. */
  get sampleRand(): number {
    return this.#decision?.rand ?? 0
  }

  /** Decides whether spans are recorded. Call it once. */
  decide(decide: (parentDecision?: ParentDecision) => Decision): void {
    const { parent, facts } = this.#incoming
    this.#decision = decide(parent && { sampled: parent.sampled, facts })
  }

  /** Copies the decision of the request in which this one was made. */
  decideAs({ sampled, sampleRand }: RequestTrace): void {
    this.#decision = { sampled, rand: sampleRand, replaced: false }
  }

  /**
   * Facts of the whole trace: from its head, except for sampling that was decided here; or our own, if the trace begins
   * here.
   */
  get facts(): TraceFacts {
    const facts = (this.#facts ??= this.#firstFacts())
    if (this.#incoming.parent === undefined && this.#traceRecorder !== undefined && facts.transaction === undefined) {
      const name = this.request && nameOfRoute(this.request)
      if (name !== undefined) facts.transaction = name
    }
    return facts
  }

  #firstFacts(): TraceFacts {
    const { parent, facts } = this.#incoming
    if (this.#traceRecorder === undefined) return { ...facts }
    const { head } = this.#traceRecorder
    const sampling = { sampled: String(this.sampled), sample_rand: formatRand(this.sampleRand) }
    if (parent === undefined) return { trace_id: this.traceId, ...sampling, ...head.facts }
    if (this.#decision?.replaced) return { ...facts, ...sampling, sample_rate: head.facts.sample_rate }
    const asItCame = facts !== undefined && Number(facts.sample_rand) === this.sampleRand
    return asItCame ? { ...facts } : { ...facts, sample_rand: sampling.sample_rand }
  }

  /** Propagation for a request made in this one. */
  toPropagation(span: OpenSpan | undefined): Propagation {
    return { ...this.#incoming, parent: this.#toParent(span?.id), facts: this.facts }
  }

  #toParent(spanId = this.spanId): Parent {
    const { parent } = this.#incoming
    return {
      traceId: this.traceId,
      spanId,
      sampled: this.sampled,
      // Our own trace ids are random in all bytes.
      isRandom: parent === undefined || parent.isRandom
    }
  }

  /**
   * Returns the headers for an outgoing request.
   * @param span of the outgoing request; without one, the request gets a new span id
   * @param given existing baggage of the request: our members are replaced, those of others are kept, and replace those
   * of the caller
   */
  toHeaders(span?: OpenSpan, given?: string | null): PropagationHeaders {
    const { foreign, tracestate } = this.#incoming
    const parent = this.#toParent(span?.id ?? createSpanId())
    const baggage = formatBaggage(this.facts, given ? mergeMembers(parseBaggage(given).foreign, foreign) : foreign)
    const headers: PropagationHeaders = {
      'sentry-trace': formatSentryTrace(parent),
      traceparent: formatTraceparent(parent)
    }
    if (baggage !== '') headers.baggage = baggage
    if (tracestate !== undefined) headers.tracestate = tracestate
    return headers
  }

  /** Ends the span of the request. */
  end(status: number): void {
    if (this.root === undefined) return
    void this.facts // sets the name, which is known by now, in the facts that the SDK has by reference
    this.root.end({ status, name: this.request && nameOfRoute(this.request) })
  }

  /**
   * Returns meta tags that pass the trace to the browser. They are for one visitor, so never store them. Empty if no
   * spans are recorded: the browser then has no place to send its own.
   */
  metaTags(): string {
    return this.#forBrowser(toMetaTag, '')
  }

  /** Returns the same as a value of `Server-Timing`, for a document without such tags. */
  serverTiming(): string {
    return this.#forBrowser(toTimingEntry, ', ')
  }

  /** Omits baggage of others: members that a proxy added are not for visitors. */
  #forBrowser(print: (name: string, value: string) => string, separator: string): string {
    if (this.#traceRecorder === undefined) return ''
    const trace = print('sentry-trace', formatSentryTrace(this.#toParent()))
    const baggage = this.#headBaggage() ?? formatBaggage(this.facts)
    return baggage === '' ? trace : trace + separator + print('baggage', baggage)
  }

  /**
   * Formats the facts directly, because nearly every document is the head of its trace and needs them only as text.
   * Undefined if the trace does not begin here.
   */
  #headBaggage(): string | undefined {
    if (this.#traceRecorder === undefined || this.#incoming.parent !== undefined || this.#facts !== undefined)
      return undefined
    return this.#traceRecorder.head.toBaggage(
      `sentry-trace_id=${this.traceId},sentry-sampled=${this.sampled},sentry-sample_rand=${formatRand(this.sampleRand)}`,
      this.request && nameOfRoute(this.request)
    )
  }
}

/** Percent-encoding leaves no character that HTML requires to be escaped inside double quotes. */
const toMetaTag = (name: string, value: string) => `<meta name="${name}" content="${value}">`

const toTimingEntry = (name: string, value: string) => `${name};desc="${value}"`
