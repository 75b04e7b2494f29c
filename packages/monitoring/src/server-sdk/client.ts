import { hostname } from 'node:os'
import { FastifyError } from '@fastify/error'
import type {
  ClientReport,
  DataCategory,
  Envelope,
  Event,
  EventDropReason,
  EventHint,
  EventProcessor,
  Integration,
  TransportMakeRequestResponse
} from '@sentry/core'
import type { NodeClient } from '@sentry/node'
import { runInContext } from '../tracing/context.ts'
import { MAX_STACK_FRAMES, TRANSPORT_QUEUE_SIZE } from '@hull/common/constants.ts'
import { DATA_COLLECTION, scrubAttributes, scrubEnvelope, scrubEvent } from '@hull/common/scrub-event.ts'
import { MAX_TEXT_LENGTH } from '@hull/common/secrets.ts'
import { initialise } from './sentry-state.ts'
import { sentry } from './sentry.ts'
import type { SdkDrop, SendEnvelope, TelemetryOptions } from './telemetry.ts'
import { createTransportQueue, type TransportQueue } from './transport-queue.ts'

type ClientOptions = ConstructorParameters<typeof NodeClient>[0]

/**
 * Names of the SDK's instrumentation of outgoing requests, which `packages/monitoring/src/tracing/outgoing.ts`
 * replaces. If an application added the SDK's own, each request would have two spans.
 */
const INSTRUMENTED: Integration[] = [{ name: 'Http' }, { name: 'NodeFetch' }]

/** Maximum events that the SDK prepares at the same time, such as those of a loop; further ones are dropped. A guess. */
const MAX_PREPARING = 1_000

/** Reasons of drops that the application or its sampling asked for. */
const INTENDED: ReadonlySet<string> = new Set([
  'sample_rate',
  'before_send',
  'event_processor',
  'ignored',
  'no_parent_span'
])

/** The SDK's client for Node, extended to know whether transactions can be written without the SDK. */
export interface TelemetryClient extends NodeClient {
  /** Sends the transactions that wait to be sent together. */
  release: () => void
  /** Whether the application has added a hook or an event processor. Transactions must then be created by the SDK. */
  isExtended: boolean
  /** Envelopes that wait or are being sent. */
  countUnsent: () => number
  /** Items lost since the start, by reason and category. */
  readonly drops: SdkDrop[]
}

let ClientClass: (new (options: ClientOptions) => TelemetryClient) | undefined

/** Defines the class, which extends a class of the SDK, so the SDK must be loaded. */
function defineClient(): NonNullable<typeof ClientClass> {
  return class extends sentry().NodeClient {
    release = () => {}
    isExtended = false
    countUnsent = () => 0
    // The SDK's own holds 64, and drops the rest of a loop that reports more.
    protected override _promiseBuffer = sentry().makePromiseBuffer<unknown>(MAX_PREPARING)
    readonly #drops = new Map<string, SdkDrop>()

    get drops(): SdkDrop[] {
      return [...this.#drops.values()]
    }

    override init(): void {
      initialise(() => super.init())
      this.isExtended = false
    }

    override addEventProcessor(processor: EventProcessor): void {
      this.isExtended = true
      super.addEventProcessor(processor)
    }

    override on: NodeClient['on'] = (hook: never, listener: never) => {
      this.isExtended = true
      // oxlint-disable-next-line hull/safe-callbacks -- the SDK's own hooks
      return super.on(hook, listener)
    }

    override recordDroppedEvent(reason: EventDropReason, category: DataCategory, quantity = 1): void {
      super.recordDroppedEvent(reason, category, quantity)
      if (INTENDED.has(reason)) return
      const key = `${reason}/${category}`
      const known = this.#drops.get(key)
      this.#drops.set(key, { reason, category, quantity: quantity + (known?.quantity ?? 0) })
    }

    /** The numbers of a client report that could not be sent are part of the next report. */
    override async sendEnvelope(envelope: Envelope): Promise<TransportMakeRequestResponse> {
      const response = await super.sendEnvelope(envelope)
      if (response.statusCode === undefined)
        for (const { reason, category, quantity } of reportedIn(envelope))
          super.recordDroppedEvent(reason, category, quantity)
      return response
    }

    override async flush(timeout?: number): Promise<boolean> {
      this.release()
      return super.flush(timeout)
    }
  }
}

/**
 * Creates the SDK's client without its default integrations: no instrumentation, no process handlers, no connection.
 */
export function createClient({
  dsn,
  send,
  environment,
  release,
  sampleRate,
  sendPii = false,
  sendAddress = sendPii
}: TelemetryOptions): TelemetryClient {
  // With Node's default of 10, the frames of a framework would leave none of the page.
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, MAX_STACK_FRAMES)
  let queue: TransportQueue | undefined
  const options: ClientOptions = {
    dsn,
    environment,
    release,
    includeServerName: sendPii,
    serverName: hostname(),
    sendClientReports: true,
    enableRuntimeChannelInjection: false,
    // Transactions instead of the default, a stream of spans, which has no limit of spans.
    traceLifecycle: 'static',
    tracesSampleRate: sampleRate,
    dataCollection: DATA_COLLECTION,
    // Under SEND_PII nothing else cuts a message, such as one that quotes a query, to a size that the tunnel accepts.
    maxValueLength: MAX_TEXT_LENGTH,
    // Without the integration that drops duplicates: the digest of a second visitor must also lead to an event.
    integrations: [sentry().linkedErrorsIntegration(), ...INSTRUMENTED],
    // `packages/monitoring/src/tracing/outgoing.ts` sets the headers, and compares whole origins.
    tracePropagationTargets: [],
    stackParser: sentry().createStackParser(sentry().nodeStackLineParser()),
    transportOptions: { bufferSize: TRANSPORT_QUEUE_SIZE },
    transport(transport) {
      const created = (queue = createTransportQueue((body) => sendOutsideRequests(send, dsn, body)))
      return sentry().createTransport(transport, ({ body }) => created.send(toBytes(body)), created.buffer)
    },
    ...(!sendPii && {
      beforeSend: sendAddress ? scrubButAddress : scrubEvent,
      beforeSendTransaction: scrubEvent,
      beforeSendLog: scrubAttributes,
      beforeSendMetric: scrubAttributes
    })
  }
  const client = new (ClientClass ??= defineClient())(options)
  client.countUnsent = () => queue?.unsent ?? 0
  client.addEventProcessor(nameByCode)
  // oxlint-disable-next-line hull/safe-callbacks -- the SDK's own hooks
  if (!sendPii) client.on('beforeEnvelope', scrubEnvelope)
  client.init()
  client.startClientReportTracking()
  return client
}

/** All errors of @fastify/error have the same name, so their code replaces it. */
function nameByCode(event: Event, { originalException: error }: EventHint): Event {
  const reported = event.exception?.values?.at(-1)
  if (error instanceof FastifyError && reported?.type === error.name) reported.type = error.code
  return event
}

function scrubButAddress<T extends Event>(event: T): T {
  const scrubbed = scrubEvent(event)
  const { ip_address: address } = event.user ?? {}
  if (address !== undefined) scrubbed.user = { ...scrubbed.user, ip_address: address }
  return scrubbed
}

/** Drops in the client reports of an envelope. */
const reportedIn = ([, items]: Envelope): ClientReport['discarded_events'] =>
  [...items].flatMap(([{ type }, payload]) =>
    type === 'client_report' ? (payload as ClientReport).discarded_events : []
  )

const toBytes = (body: string | Uint8Array): Uint8Array => (typeof body === 'string' ? Buffer.from(body) : body)

/** Sends outside of every request, so that the work belongs to no trace. */
async function sendOutsideRequests(send: SendEnvelope, dsn: string, envelope: Uint8Array) {
  return (await runInContext(undefined, () => send(dsn, envelope))) ?? { statusCode: 200 }
}
