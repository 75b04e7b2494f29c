import { hostname } from 'node:os'
import { FastifyError } from '@fastify/error'
import type { Event, EventHint, EventProcessor, Integration, Log, Metric } from '@sentry/core'
import type { NodeClient } from '@sentry/node'
import { runInContext } from '../tracing/context.ts'
import { MAX_STACK_FRAMES, TRANSPORT_QUEUE_SIZE } from '@hull/common/constants.ts'
import { DATA_COLLECTION, scrubEvent, scrubPart } from '@hull/common/scrub-event.ts'
import { initialise } from './sentry-state.ts'
import { sentry } from './sentry.ts'
import type { SendEnvelope, TelemetryOptions } from './telemetry.ts'

type ClientOptions = ConstructorParameters<typeof NodeClient>[0]

/**
 * Names of the SDK's instrumentation of outgoing requests, which `packages/monitoring/src/tracing/outgoing.ts`
 * replaces. If an application added the SDK's own, each request would have two spans.
 */
const INSTRUMENTED: Integration[] = [{ name: 'Http' }, { name: 'NodeFetch' }]

/** The SDK's client for Node, extended to know whether transactions can be written without the SDK. */
export interface TelemetryClient extends NodeClient {
  /** Sends the transactions that wait to be sent together. */
  release: () => void
  /** Whether the application has added a hook or an event processor. Transactions must then be created by the SDK. */
  isExtended: boolean
}

let ClientClass: (new (options: ClientOptions) => TelemetryClient) | undefined

/** Defines the class, which extends a class of the SDK, so the SDK must be loaded. */
function defineClient(): NonNullable<typeof ClientClass> {
  return class extends sentry().NodeClient {
    release = () => {}
    isExtended = false

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
    // Without the integration that drops duplicates: the digest of a second visitor must also lead to an event.
    integrations: [sentry().linkedErrorsIntegration(), ...INSTRUMENTED],
    // `packages/monitoring/src/tracing/outgoing.ts` sets the headers, and compares whole origins.
    tracePropagationTargets: [],
    stackParser: sentry().createStackParser(sentry().nodeStackLineParser()),
    transportOptions: { bufferSize: TRANSPORT_QUEUE_SIZE },
    transport: (transport) => sentry().createTransport(transport, ({ body }) => handOver(send, dsn, body)),
    ...(!sendPii && {
      beforeSend: sendAddress ? scrubButAddress : scrubEvent,
      beforeSendTransaction: scrubEvent,
      beforeSendLog: scrubLog,
      beforeSendMetric: scrubMetric
    })
  }
  const client = new (ClientClass ??= defineClient())(options)
  client.addEventProcessor(nameByCode)
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

/** Removes from logs the same user data as from events. */
function scrubLog(log: Log): Log {
  const attributes = { ...log.attributes }
  for (const name of ['user.email', 'user.name', 'user.ip_address']) delete attributes[name]
  return { ...log, message: scrubPart(String(log.message)), attributes: scrubPart(attributes) }
}

const scrubMetric = (metric: Metric): Metric => ({ ...metric, attributes: scrubPart(metric.attributes) })

/** Sends outside of every request, so that the work belongs to no trace. */
async function handOver(send: SendEnvelope, dsn: string, body: string | Uint8Array) {
  const envelope = typeof body === 'string' ? Buffer.from(body) : body
  return (await runInContext(undefined, () => send(dsn, envelope))) ?? { statusCode: 200 }
}
