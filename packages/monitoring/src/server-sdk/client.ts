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
 * The SDK's own instrumentation of outgoing requests, by name: `packages/monitoring/src/tracing/outgoing.ts` has done that already. With a
 * second one, added by an application, each request would have two spans.
 */
const INSTRUMENTED: Integration[] = [{ name: 'Http' }, { name: 'NodeFetch' }]

/** The SDK's client for Node, which knows whether its transactions can be written without it. */
export interface TelemetryClient extends NodeClient {
  /** Sends the transactions that wait for others. */
  release: () => void
  /** Whether the application has added something that looks at transactions: the SDK has to make them then. */
  isExtended: boolean
}

let ClientClass: (new (options: ClientOptions) => TelemetryClient) | undefined

/** Its class is made when the SDK is loaded. */
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

/** The SDK's client, without its default integrations: no instrumentation, no handlers of the process, no connection. */
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
    includeServerName: sendPii,
    serverName: hostname(),
    sendClientReports: true,
    enableRuntimeChannelInjection: false,
    // Transactions: the stream of spans that is the default has no limit of spans.
    traceLifecycle: 'static',
    tracesSampleRate: sampleRate,
    dataCollection: DATA_COLLECTION,
    // Not the one against duplicates: a second visitor's digest must find an event as well.
    integrations: [sentry().linkedErrorsIntegration(), ...INSTRUMENTED],
    // `packages/monitoring/src/tracing/outgoing.ts` sets the headers, where whole origins are the same.
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

/** Of a user, logs keep what events keep. */
function scrubLog(log: Log): Log {
  const attributes = { ...log.attributes }
  for (const name of ['user.email', 'user.name', 'user.ip_address']) delete attributes[name]
  return { ...log, message: scrubPart(String(log.message)), attributes: scrubPart(attributes) }
}

const scrubMetric = (metric: Metric): Metric => ({ ...metric, attributes: scrubPart(metric.attributes) })

/** Outside of every request: what it leads to is no part of any trace. */
async function handOver(send: SendEnvelope, dsn: string, body: string | Uint8Array) {
  const envelope = typeof body === 'string' ? Buffer.from(body) : body
  return (await runInContext(undefined, () => send(dsn, envelope))) ?? { statusCode: 200 }
}
