import { MONITORING_PATH } from '@hull/common/constants.ts'
import type { BrowserMonitoring } from './browser-sdk/options.ts'
import { sendOwnEnvelope } from './delivery/own-envelope.ts'
import type { Provider, Tunnel } from './delivery/tunnel.ts'
import type { EnvelopeSink } from './delivery/types.ts'
import type { DsnTarget } from './envelope/dsn.ts'

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
  /** DSN of an external provider. @default the receiver in this process */
  sentryDsn?: string
  /** Further DSNs whose envelopes pages may send. @default none */
  tunnelDsns?: readonly string[]
  /** Path of the tunnel. @default /monitoring */
  tunnelAlias?: string
  environment: string
  release: string
  /** Share of traces that are recorded, from 0 to 1. */
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

/** Decides whether errors and traces go to a provider or to a receiver in this process. */
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
    dsns.unshift(receiver.target)
    // With other providers, the spool may still hold envelopes for the receiver, from before the receiver had its own
    // sink.
    if (providers.length > 0) providers.unshift(receiver.provider)
  }
  const own = receiver || sentryDsn !== undefined ? dsns[0] : undefined
  const browser = own && {
    dsn: own.dsn,
    tunnel: basePath + (tunnelAlias ?? MONITORING_PATH),
    release,
    environment,
    sampleRate: tracesSampleRate,
    targets: traceTargets,
    ...(receiver && { unwatched: basePath + receiver.path })
  }
  return { own, providers, dsns, browser }
}

/** Returns a sink that passes the receiver's envelopes to it, and all others to the spool; undefined without both. */
export function toSink(receiver: LocalReceiver | null | undefined, tunnel: Tunnel | null): EnvelopeSink | undefined {
  if (!receiver || !tunnel) return receiver?.sink ?? tunnel ?? undefined
  const sinkOf = (dsn: string): EnvelopeSink => (dsn === receiver.provider.dsn ? receiver.sink : tunnel)
  return {
    accept: (envelope) => sinkOf(envelope.meta.dsn).accept(envelope),
    begin: (dsn) => sinkOf(dsn).begin(dsn),
    rateLimits: (dsn) => sinkOf(dsn).rateLimits(dsn)
  }
}

/** Returns a function that sends envelopes of the server's own SDK. Transactions for a provider skip the disk. */
export function createSender(provider: string, receiver: LocalReceiver | null | undefined, tunnel: Tunnel | null) {
  return (_dsn: string, envelope: Uint8Array) =>
    receiver ? sendOwnEnvelope(receiver.sink, provider, envelope) : tunnel!.send(provider, envelope)
}
