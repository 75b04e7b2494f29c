import { MONITORING_PATH } from '@hull/common/constants.ts'
import type { BrowserMonitoring } from './browser-sdk/options.ts'
import type { Config } from '../../../config.ts'
import type { DsnTarget } from './envelope/dsn.ts'
import { INBOX_DSN, INBOX_PATH, OWN_TARGET } from '@hull/inbox/addresses.ts'
import type { Inbox } from '@hull/inbox/store/inbox.ts'
import { toDeliverer } from '@hull/inbox/ingest/deliverer.ts'
import { sendOwnEnvelope } from './delivery/own-envelope.ts'
import type { Provider, Tunnel } from './delivery/tunnel.ts'
import type { EnvelopeSink } from './delivery/types.ts'

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

/**
 * Settles where errors and traces go: to SENTRY_DSN, or to the inbox in this process.
 * @param inbox null where there is none
 */
export function toReporting(
  { sentryDsn, tunnelDsns = [], tunnelAlias, environment, tracesSampleRate, traceTargets }: Config,
  inbox: Inbox | null,
  release: string
): Reporting {
  const outside = [...new Set(sentryDsn === undefined ? tunnelDsns : [sentryDsn, ...tunnelDsns])]
  const dsns: DsnTarget[] = outside.map((dsn) => ({ dsn, provider: dsn }))
  const providers: Provider[] = outside.map((dsn) => ({ dsn }))
  if (inbox) {
    dsns.unshift(OWN_TARGET)
    // Beside other providers the spool may hold envelopes for the inbox, from before the inbox had a sink of its own.
    if (providers.length > 0) providers.unshift(toProvider(inbox))
  }
  const own = inbox || sentryDsn !== undefined ? dsns[0] : undefined
  const browser = own && {
    dsn: own.dsn,
    tunnel: tunnelAlias ?? MONITORING_PATH,
    release,
    environment,
    sampleRate: tracesSampleRate,
    targets: traceTargets,
    ...(inbox && { unwatched: INBOX_PATH })
  }
  return { own, providers, dsns, browser }
}

/** The sink of an application: the inbox for envelopes to the inbox, the spool for all others. Undefined where there is neither. */
export function toSink(inbox: Inbox | null, tunnel: Tunnel | null): EnvelopeSink | undefined {
  if (!inbox || !tunnel) return inbox?.sink ?? tunnel ?? undefined
  const sinkOf = (dsn: string): EnvelopeSink => (dsn === INBOX_DSN ? inbox.sink : tunnel)
  return {
    accept: (envelope) => sinkOf(envelope.meta.dsn).accept(envelope),
    begin: (dsn) => sinkOf(dsn).begin(dsn),
    rateLimits: (dsn) => sinkOf(dsn).rateLimits(dsn)
  }
}

/** Sends envelopes of the server's own SDK to its provider. Transactions for a provider outside skip the disk. */
export function createSender(provider: string, inbox: Inbox | null, tunnel: Tunnel | null) {
  return (_dsn: string, envelope: Uint8Array) =>
    inbox ? sendOwnEnvelope(inbox.sink, provider, envelope) : tunnel!.send(provider, envelope)
}

/** The inbox as a provider of a spool. */
export const toProvider = (inbox: Inbox): Provider => ({ dsn: INBOX_DSN, deliverer: toDeliverer(inbox) })
