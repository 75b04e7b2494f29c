import { REFUSED_CATEGORIES } from './refused-categories.ts'

/** What a category counts, in words. */
const CATEGORIES: Readonly<Record<string, string>> = {
  error: 'errors',
  transaction: 'transactions',
  span: 'spans',
  session: 'sessions',
  attachment: 'attachments',
  replay: 'replays',
  profile: 'profiles',
  feedback: 'feedback',
  monitor: 'check-ins',
  log_item: 'log lines',
  trace_metric: 'metrics',
  metric_bucket: 'metrics',
  internal: 'reports',
  default: 'items'
}

interface Reason {
  why: string
  /** Somebody wanted it so. */
  isHarmless?: boolean
}

/** By who let it go, and why; the first are Sentry's own reasons. */
const REASONS: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  client: {
    sample_rate: { why: 'not sampled', isHarmless: true },
    before_send: { why: 'filtered by the application', isHarmless: true },
    event_processor: { why: 'filtered by the application', isHarmless: true },
    ignored: { why: 'filtered by the application', isHarmless: true },
    no_parent_span: { why: 'outside of any request', isHarmless: true },
    queue_overflow: {
      why: 'a client had more to tell than it may have on its way: the tunnel or the network was slow'
    },
    buffer_overflow: { why: 'a client had more to tell than it may keep' },
    cache_overflow: { why: 'a client had more to tell than it may keep' },
    network_error: { why: 'a client could not reach the tunnel' },
    ratelimit_backoff: { why: 'a client was asked to wait, and did not keep it' },
    send_error: { why: 'the tunnel refused it' },
    internal_sdk_error: { why: 'the SDK failed' }
  },
  inbox: {
    sampled: { why: 'many of one issue: counted, without details', isHarmless: true },
    too_many_spans: { why: 'past 1,000 spans of one transaction', isHarmless: true },
    too_many_attachments: { why: 'past ten attachments of one event', isHarmless: true },
    too_large: { why: 'larger than 1 MB: only its name is kept', isHarmless: true },
    too_many_lines: { why: 'past 1,000 lines at once' },
    too_many_sessions: { why: 'past 100 groups at once' },
    invalid: { why: 'it made no sense: an SDK’s fault, or somebody’s idea of fun' },
    full: { why: 'there was no room' },
    unsupported: { why: 'the inbox has no screen for them', isHarmless: true }
  },
  tunnel: {
    queue_overflow: { why: 'the spool was full' },
    expired: { why: 'it waited for longer than SPOOL_MAX_AGE' },
    network_error: { why: 'no provider took it' },
    send_error: { why: 'the provider refused it' },
    ratelimit_backoff: { why: 'the provider asked for less' }
  }
}

/** Of a client that obeys the rate limits for what the inbox refuses. */
const NOT_WANTED: Reason = {
  why: 'the inbox has no screen for them, so clients are asked not to send them',
  isHarmless: true
}

const WHO: Readonly<Record<string, string>> = { client: 'by clients', tunnel: 'by the tunnel', inbox: 'by the inbox' }

/** In words: what was let go, by whom, and why. */
export function explainDrop(
  origin: string,
  reason: string,
  category: string
): { what: string; why: string; isHarmless: boolean } {
  const known =
    origin === 'client' && reason === 'ratelimit_backoff' && REFUSED_CATEGORIES.includes(category)
      ? NOT_WANTED
      : own(own(REASONS, origin), reason)
  return {
    what: `${own(CATEGORIES, category) ?? category}, ${own(WHO, origin) ?? `by ${origin}`}`,
    why: known?.why ?? reason,
    isHarmless: known?.isHarmless ?? false
  }
}

const own = <T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined
