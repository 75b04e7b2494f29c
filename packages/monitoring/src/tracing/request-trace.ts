import type { FastifyRequest } from 'fastify'
import type { TraceContext } from './context.ts'
import { formatBaggage, parseBaggage, type TraceFacts } from './baggage.ts'
import { createSpanId, createTraceId } from './ids.ts'
import type { Incoming } from './incoming.ts'
import { formatSentryTrace, formatTraceparent, type Parent } from './parent.ts'
import { nameOfRoute } from './route-name.ts'
import { formatRand, type Decision, type Wish } from './sampling.ts'
import type { OpenSpan, Recorder } from './span.ts'
import type { TraceHead } from './trace-head.ts'

/** The headers that carry a trace. */
export type PropagationHeaders = Partial<Record<'sentry-trace' | 'traceparent' | 'baggage' | 'tracestate', string>>

/** Where traces are kept. */
export interface Keeper {
  recorder: Recorder
  head: TraceHead
}

/** The trace a request belongs to: continued from whoever sent it, or begun with it. */
export class RequestTrace {
  readonly traceId: string
  /** The request itself within the trace: parent of everything it leads to. */
  readonly spanId = createSpanId()
  /** The request, from its first hook on. */
  request: FastifyRequest | undefined
  /** The async context of the request. */
  context: TraceContext | undefined
  /** The request's own span, where it is recorded. */
  root: OpenSpan | undefined
  /** Origins whose requests carry the trace. */
  readonly targets: ReadonlySet<string>
  readonly #incoming: Incoming
  readonly #keeper: Keeper | undefined
  #decision: Decision | undefined
  #facts: TraceFacts | undefined

  /** @param keeper undefined where nobody keeps spans: the trace is passed on all the same */
  constructor(incoming: Incoming, targets: ReadonlySet<string>, keeper?: Keeper) {
    this.targets = targets
    this.#incoming = incoming
    this.#keeper = keeper
    this.traceId = incoming.parent?.traceId ?? createTraceId()
  }

  get parentSpanId(): string | undefined {
    return this.#incoming.parent?.spanId
  }

  /** What opens spans in this trace. */
  get recorder(): Recorder | undefined {
    return this.#keeper?.recorder
  }

  /** Whether spans are kept; undefined when nobody has decided, and nobody here keeps any. */
  get sampled(): boolean | undefined {
    return this.#decision ? this.#decision.sampled : this.#incoming.parent?.sampled
  }

  /** What was drawn for the trace, from 0 up to 1. */
  get sampleRand(): number {
    return this.#decision?.rand ?? 0
  }

  /** Has it decided, once, whether spans are kept. */
  decide(decide: (wish?: Wish) => Decision): void {
    const { parent, facts } = this.#incoming
    this.#decision = decide(parent && { sampled: parent.sampled, facts })
  }

  /** Decides as the request did that this one was made in. */
  decideAs({ sampled, sampleRand }: RequestTrace): void {
    this.#decision = { sampled, rand: sampleRand, redrawn: false }
  }

  /** What is known of the whole trace: what its head said, no longer changed; or ours, where it begins here. */
  get facts(): TraceFacts {
    const facts = (this.#facts ??= this.#firstFacts())
    if (this.#incoming.parent === undefined && this.#keeper !== undefined && facts.transaction === undefined) {
      const name = this.request && nameOfRoute(this.request)
      if (name !== undefined) facts.transaction = name
    }
    return facts
  }

  #firstFacts(): TraceFacts {
    const { parent, facts } = this.#incoming
    if (this.#keeper === undefined) return { ...facts }
    const { head } = this.#keeper
    const sampling = { sampled: String(this.sampled), sample_rand: formatRand(this.sampleRand) }
    if (parent === undefined) return { trace_id: this.traceId, ...sampling, ...head.facts }
    if (this.#decision?.redrawn) return { ...facts, ...sampling, sample_rate: head.facts.sample_rate }
    const asItCame = facts !== undefined && Number(facts.sample_rand) === this.sampleRand
    return asItCame ? { ...facts } : { ...facts, sample_rand: sampling.sample_rand }
  }

  /** What a request made in this one takes part in. */
  toIncoming(span: OpenSpan | undefined): Incoming {
    return { ...this.#incoming, parent: this.#toParent(span?.id), facts: this.facts }
  }

  #toParent(spanId = this.spanId): Parent {
    const { parent } = this.#incoming
    return {
      traceId: this.traceId,
      spanId,
      sampled: this.sampled,
      // A trace id of ours is random in all its bytes.
      isRandom: parent === undefined || parent.isRandom
    }
  }

  /**
   * The headers to send with a request.
   * @param span the open span of the outgoing request; without one the request gets an id of its own all the same
   * @param given baggage that it has already: our members are replaced, those of others kept
   */
  toHeaders(span?: OpenSpan, given?: string | null): PropagationHeaders {
    const { foreign, tracestate } = this.#incoming
    const parent = this.#toParent(span?.id ?? createSpanId())
    const baggage = formatBaggage(this.facts, given ? [...parseBaggage(given).foreign, ...foreign] : foreign)
    const headers: PropagationHeaders = {
      'sentry-trace': formatSentryTrace(parent),
      traceparent: formatTraceparent(parent)
    }
    if (baggage !== '') headers.baggage = baggage
    if (tracestate !== undefined) headers.tracestate = tracestate
    return headers
  }

  /** The request is over: its span ends. */
  end(status: number): void {
    if (this.root === undefined) return
    void this.facts // the SDK has them by reference, and now the name is known
    this.root.end({ status, name: this.request && nameOfRoute(this.request) })
  }

  /**
   * Tags by which a document hands the trace to the browser. For one visitor: never in what is stored. Empty where
   * nobody keeps spans: the browser has nowhere to send its own.
   */
  metaTags(): string {
    if (this.#keeper === undefined) return ''
    const { trace, baggage } = this.#forBrowser()
    const tag = `<meta name="sentry-trace" content="${trace}">`
    // Percent-encoding leaves nothing that HTML would have escaped inside double quotes.
    return baggage === '' ? tag : `${tag}<meta name="baggage" content="${baggage}">`
  }

  /** The same as a value of `Server-Timing`, for a document without such tags. */
  serverTiming(): string {
    if (this.#keeper === undefined) return ''
    const { trace, baggage } = this.#forBrowser()
    const entry = `sentry-trace;desc="${trace}"`
    return baggage === '' ? entry : `${entry}, baggage;desc="${baggage}"`
  }

  /** Baggage of others is not for the browser: what a proxy added is none of the visitor's business. */
  #forBrowser(): { trace: string; baggage: string } {
    return { trace: formatSentryTrace(this.#toParent()), baggage: this.#headBaggage() ?? formatBaggage(this.facts) }
  }

  /** The facts at once as text: nearly every document is the head of its trace, and needs them in no other form. */
  #headBaggage(): string | undefined {
    if (this.#keeper === undefined || this.#incoming.parent !== undefined || this.#facts !== undefined) return undefined
    return this.#keeper.head.toBaggage(
      `sentry-trace_id=${this.traceId},sentry-sampled=${this.sampled},sentry-sample_rand=${formatRand(this.sampleRand)}`,
      this.request && nameOfRoute(this.request)
    )
  }
}
