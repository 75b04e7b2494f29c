import { MONITORING_PATH } from './common/constants.ts'
import type { BrowserMonitoring } from './common/monitoring.ts'
import type { Config } from './config.ts'
import type { DsnTarget } from './envelope/dsn.ts'
import { INBOX_CONCURRENCY, INBOX_DSN, INBOX_PATH, OWN_TARGET } from './inbox/addresses.ts'
import type { Inbox } from './inbox/inbox.ts'
import { REFUSED_CATEGORIES } from './inbox/refused-categories.ts'
import type { Provider } from './tunnel/tunnel.ts'

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
    // A thread of its own has the work of it, and the less the more come at once.
    providers.unshift({
      dsn: INBOX_DSN,
      deliverer: inbox.deliverer,
      concurrency: INBOX_CONCURRENCY,
      yields: false,
      refuses: REFUSED_CATEGORIES
    })
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
