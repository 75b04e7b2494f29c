import { hostname } from 'node:os'
import { FastifyError } from '@fastify/error'
import {
  _INTERNAL_setDeferSegmentSpanCapture as collectLateSpans,
  applySdkMetadata,
  createStackParser,
  createTransport,
  linkedErrorsIntegration,
  type Event,
  type EventProcessor,
  type EventHint
} from '@sentry/core'
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server'
import { runInContext } from '../async-context.ts'
import { MAX_STACK_FRAMES, TRANSPORT_QUEUE_SIZE } from '../common/constants.ts'
import { DATA_COLLECTION } from '../common/data-collection.ts'
import { scrubEvent } from '../common/scrub-event.ts'
import type { SendEnvelope, TelemetryOptions } from './telemetry.ts'
import { safeCallback } from '../safe-callback.ts'

/** Milliseconds between reports of what was dropped, as the SDK for Node has it. */
const REPORT_INTERVAL = 60_000

type ClientOptions = ConstructorParameters<typeof ServerRuntimeClient>[0]

/** The SDK's client with what its package for Node adds and we need: reports of what was dropped. */
export class TelemetryClient extends ServerRuntimeClient {
  readonly #timer = setInterval(
    safeCallback(() => this._flushOutcomes()),
    REPORT_INTERVAL
  ).unref()
  /** Lets go of what waits for company. */
  release = () => {}
  /** Whether the team has added something that looks at transactions: those are for the SDK to make, then. */
  isExtended = false

  constructor(options: ClientOptions) {
    super(options)
    collectLateSpans(this)
  }

  override init(): void {
    super.init()
    this.isExtended = false
  }

  override addEventProcessor(processor: EventProcessor): void {
    this.isExtended = true
    super.addEventProcessor(processor)
  }

  override on: ServerRuntimeClient['on'] = (hook: never, listener: never) => {
    this.isExtended = true
    // oxlint-disable-next-line hull/safe-callbacks -- the SDK's own hooks
    return super.on(hook, listener)
  }

  override async flush(timeout?: number): Promise<boolean> {
    this.release()
    this._flushOutcomes()
    return super.flush(timeout)
  }

  override async close(timeout?: number): Promise<boolean> {
    clearInterval(this.#timer)
    return super.close(timeout)
  }
}

/**
 * The SDK's client, with nothing that it would do by itself: no instrumentation, no listeners, no connection. Its
 * package for Node would take a third of a second to load, and no part of it is left to use.
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
  // Node's own 10 would leave nothing of the page below a few frames of a framework.
  Error.stackTraceLimit = Math.max(Error.stackTraceLimit, MAX_STACK_FRAMES)
  const options: ClientOptions = {
    dsn,
    environment,
    release,
    platform: 'node',
    runtime: { name: 'node', version: process.version },
    serverName: sendPii ? hostname() : undefined,
    sendClientReports: true,
    // Transactions: the stream of spans that is the default has no limit of spans.
    traceLifecycle: 'static',
    tracesSampleRate: sampleRate,
    dataCollection: DATA_COLLECTION,
    // Not the one against duplicates: a second visitor's digest must find an event as well.
    integrations: [linkedErrorsIntegration()],
    stackParser: createStackParser(nodeStackLineParser()),
    transportOptions: { bufferSize: TRANSPORT_QUEUE_SIZE },
    transport: (transport) => createTransport(transport, ({ body }) => handOver(send, dsn, body)),
    ...(!sendPii && {
      beforeSend: sendAddress ? scrubButAddress : scrubEvent,
      beforeSendTransaction: scrubEvent
    })
  }
  applySdkMetadata(options, 'node', ['core'])
  const client = new TelemetryClient(options)
  client.addEventProcessor(nameByCode)
  client.init()
  return client
}

/** All errors of @fastify/error have one name: their code says which it is. */
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

/** Outside of every request: what it leads to is no part of any trace. */
async function handOver(send: SendEnvelope, dsn: string, body: string | Uint8Array) {
  const envelope = typeof body === 'string' ? Buffer.from(body) : body
  return (await runInContext(undefined, () => send(dsn, envelope))) ?? { statusCode: 200 }
}
