import { MONITORING_PATH } from '@hull/common/constants.ts'
import type { BrowserMonitoring } from './browser-sdk/options.ts'
import { sendOwnEnvelope } from './delivery/own-envelope.ts'
import type { Provider, Tunnel } from './delivery/tunnel.ts'
import type { EnvelopeSink } from './delivery/types.ts'
import type { DsnTarget } from './envelope/dsn.ts'

/** What takes envelopes in this process, such as the inbox. */
export interface LocalReceiver {
  /** The DSN by which the application reports to it. */
  target: DsnTarget
  sink: EnvelopeSink
  /** The same as a provider of a spool that still holds envelopes for it. */
  provider: Provider
  /** Path at and below which browsers watch nothing: what shows errors must not make more of them. */
  path: string
}

export interface ReportingOptions {
  /** DSN of a provider outside. @default the receiver in this process */
  sentryDsn?: string
  /** Further DSNs whose envelopes are taken from pages. @default none */
  tunnelDsns?: readonly string[]
  /** Path of the tunnel. @default /monitoring */
  tunnelAlias?: string
  environment: string
  release: string
  /** Share of the traces that are kept, from 0 to 1. */
  tracesSampleRate: number
  /** Origins whose requests carry the trace. */
  traceTargets: readonly string[]
  /** What takes envelopes in this process. @default none */
  receiver?: LocalReceiver | null
}

/** Where errors and traces go. */
export interface Reporting {
  /** As whom the application itself reports; undefined where nobody takes it. */
  own: DsnTarget | undefined
  /** To whom the tunnel leads. */
  providers: Provider[]
  /** Whose envelopes it takes from pages. */
  dsns: DsnTarget[]
  /** What browsers need for it. */
  browser: BrowserMonitoring | undefined
}

/** Settles where errors and traces go: to a provider outside, or to a receiver in this process. */
export function toReporting({
  sentryDsn,
  tunnelDsns = [],
  tunnelAlias,
  environment,
  release,
  tracesSampleRate,
  traceTargets,
  receiver
}: ReportingOptions): Reporting {
  const outside = [...new Set(sentryDsn === undefined ? tunnelDsns : [sentryDsn, ...tunnelDsns])]
  const dsns: DsnTarget[] = outside.map((dsn) => ({ dsn, provider: dsn }))
  const providers: Provider[] = outside.map((dsn) => ({ dsn }))
  if (receiver) {
    dsns.unshift(receiver.target)
    // Beside other providers the spool may hold envelopes for the receiver, from before it had a sink of its own.
    if (providers.length > 0) providers.unshift(receiver.provider)
  }
  const own = receiver || sentryDsn !== undefined ? dsns[0] : undefined
  const browser = own && {
    dsn: own.dsn,
    tunnel: tunnelAlias ?? MONITORING_PATH,
    release,
    environment,
    sampleRate: tracesSampleRate,
    targets: traceTargets,
    ...(receiver && { unwatched: receiver.path })
  }
  return { own, providers, dsns, browser }
}

/** Takes envelopes to the receiver there, and all others to the spool. Undefined where there is neither. */
export function toSink(receiver: LocalReceiver | null | undefined, tunnel: Tunnel | null): EnvelopeSink | undefined {
  if (!receiver || !tunnel) return receiver?.sink ?? tunnel ?? undefined
  const sinkOf = (dsn: string): EnvelopeSink => (dsn === receiver.provider.dsn ? receiver.sink : tunnel)
  return {
    accept: (envelope) => sinkOf(envelope.meta.dsn).accept(envelope),
    begin: (dsn) => sinkOf(dsn).begin(dsn),
    rateLimits: (dsn) => sinkOf(dsn).rateLimits(dsn)
  }
}

/** Sends envelopes of the server's own SDK to its provider. Transactions for a provider outside skip the disk. */
export function createSender(provider: string, receiver: LocalReceiver | null | undefined, tunnel: Tunnel | null) {
  return (_dsn: string, envelope: Uint8Array) =>
    receiver ? sendOwnEnvelope(receiver.sink, provider, envelope) : tunnel!.send(provider, envelope)
}
