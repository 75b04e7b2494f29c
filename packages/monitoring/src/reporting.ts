import type { FastifyInstance } from 'fastify'
import { MONITORING_PATH } from '@hull/common/constants.ts'
import type { BrowserMonitoring } from './browser-sdk/options.ts'
import { createDualSink, createMissReport } from './delivery/dual-sink.ts'
import { sendOwnEnvelope } from './delivery/own-envelope.ts'
import type { Provider } from './delivery/tunnel.ts'
import type { EnvelopeSink, StreamSink } from './delivery/envelope-sink.ts'
import type { DsnTarget } from './envelope/dsn.ts'
import type { TelemetryOptions } from './plugins/telemetry.ts'

/** Receiver of envelopes in this process, such as the inbox. */
export interface LocalReceiver {
  /** DSN with which the application reports to it. */
  target: DsnTarget
  sink: EnvelopeSink
  /** The receiver as a provider, for a spool that still holds its envelopes. */
  provider: Provider
  /** Path of the receiver's pages. Browsers report nothing there, so that pages that show errors do not cause more. */
  path: string
}

export interface ReportingOptions {
  /** DSN of an external provider. With `receiver`, both receive everything. @default the receiver in this process */
  sentryDsn?: string
  /** Further DSNs whose envelopes pages may send. @default none */
  tunnelDsns?: readonly string[]
  /** Path to which browsers send envelopes: the option `alias` of `monitoring`. @default '/monitoring' */
  tunnelAlias?: string
  environment: string
  release: string
  /** Share of the traces beginning in browsers that are recorded, from 0 to 1. */
  tracesSampleRate: number
  /** Prefix of all addresses of the application. @default none */
  basePath?: string
  /** Origins that receive trace headers. */
  traceTargets: readonly string[]
  /** Receiver of envelopes in this process. @default none */
  receiver?: LocalReceiver | null
}

/** Where errors and traces go. */
export interface Reporting {
  /** Target of the application's own reports; undefined if there is none. */
  own: DsnTarget | undefined
  /** Providers that the tunnel delivers to. */
  providers: Provider[]
  /** DSNs whose envelopes the tunnel accepts from pages. */
  dsns: DsnTarget[]
  /** Configuration for browsers. */
  browser: BrowserMonitoring | undefined
}

/**
 * Decides whether errors and traces go to a provider, to a receiver in this process, or to both. With both, SDKs have
 * the DSN of the provider, which reads its key in the headers of traces.
 */
export function toReporting({
  sentryDsn,
  tunnelDsns = [],
  tunnelAlias,
  environment,
  release,
  tracesSampleRate,
  traceTargets,
  receiver,
  basePath = ''
}: ReportingOptions): Reporting {
  const outside = [...new Set(sentryDsn === undefined ? tunnelDsns : [sentryDsn, ...tunnelDsns])]
  const dsns: DsnTarget[] = outside.map((dsn) => ({ dsn, provider: dsn }))
  const providers: Provider[] = outside.map((dsn) => ({ dsn }))
  if (receiver) {
    // With both, pages that were opened before the provider was set still send with the receiver's DSN.
    if (sentryDsn === undefined) dsns.unshift(receiver.target)
    else dsns.push(receiver.target)
    // With other providers, the spool may still hold envelopes for the receiver, from before the receiver had its own
    // sink.
    if (providers.length > 0) providers.unshift(receiver.provider)
  }
  const own = receiver || sentryDsn !== undefined ? dsns[0] : undefined
  const browser = own && {
    dsn: withoutSecret(own.dsn),
    tunnel: basePath + (tunnelAlias ?? MONITORING_PATH),
    release,
    environment,
    sampleRate: tracesSampleRate,
    targets: traceTargets,
    ...(receiver && { unwatched: basePath + receiver.path })
  }
  return { own, providers, dsns, browser }
}

/** Removes the secret that a DSN of an old Sentry has after the key: browsers need the key only. */
const withoutSecret = (dsn: string): string => dsn.replace(/^(\w+:\/\/\w+):\w*@/, '$1@')

export interface DestinationOptions {
  /** Target of the application's own reports, as `toReporting` returns it. */
  own: DsnTarget | undefined
  /** Receiver of envelopes in this process. @default none */
  receiver?: LocalReceiver | null
}

/** Where envelopes are stored. */
export interface Destinations {
  /** Destination of the server's own SDK; undefined without one. Transactions for a provider skip the disk. */
  to: TelemetryOptions['to']
  /** Sink for envelopes of browsers; undefined without a destination. */
  sink: StreamSink | undefined
}

/**
 * Connects the tunnel with a receiver in this process. If `own` is a provider, both receive the application's own
 * envelopes, and an envelope that one of them could not store is logged and counted. Register the tunnel before.
 */
export function toDestinations(app: FastifyInstance, { own, receiver }: DestinationOptions): Destinations {
  const { tunnel } = app
  if (!own) return { to: undefined, sink: tunnel ?? undefined }
  const { dsn, provider } = own
  if (!receiver)
    return { to: { dsn, send: (_dsn, envelope) => tunnel!.send(provider, envelope) }, sink: tunnel ?? undefined }
  const { sink, target } = receiver
  if (!tunnel || provider === target.provider)
    return {
      to: { dsn, send: (_dsn, envelope) => sendOwnEnvelope(sink, provider, envelope) },
      sink: tunnel ? chooseSink([provider], sink, tunnel) : sink
    }
  const both = createDualSink({
    inbox: { sink, target },
    provider: { sink: tunnel, target: own },
    onMissed: createMissReport(app)
  })
  return {
    to: { dsn, send: (_dsn, envelope) => both.send(envelope) },
    sink: chooseSink([provider, target.provider], both, tunnel)
  }
}

/** Returns a sink that passes envelopes for these DSNs to `own`, and all others to `otherwise`. */
function chooseSink(dsns: readonly string[], own: StreamSink, otherwise: StreamSink): StreamSink {
  const sinkOf = (dsn: string) => (dsns.includes(dsn) ? own : otherwise)
  return { begin: (dsn) => sinkOf(dsn).begin(dsn), rateLimits: (dsn) => sinkOf(dsn).rateLimits(dsn) }
}
