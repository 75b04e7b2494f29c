import { REFUSED_CATEGORIES } from './drops.ts'

/** Words for the data categories. */
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
  /** Whether the drop is intended. */
  isHarmless?: boolean
}

/** Reasons by origin. The client's are Sentry's own. */
const REASONS: Readonly<Record<string, Readonly<Record<string, Reason>>>> = {
  client: {
    sample_rate: { why: 'not sampled', isHarmless: true },
    before_send: { why: 'filtered by the application', isHarmless: true },
    event_processor: { why: 'filtered by the application', isHarmless: true },
    ignored: { why: 'filtered by the application', isHarmless: true },
    no_parent_span: { why: 'not part of any request', isHarmless: true },
    queue_overflow: {
      why: 'the queue of the client was full: the tunnel or the network was slow'
    },
    buffer_overflow: { why: 'the buffer of the client was full' },
    cache_overflow: { why: 'the cache of the client was full' },
    network_error: { why: 'the client could not reach the tunnel or the inbox' },
    ratelimit_backoff: { why: 'the client was rate limited' },
    send_error: { why: 'the tunnel or the inbox rejected it' },
    internal_sdk_error: { why: 'the SDK failed' }
  },
  inbox: {
    sampled: { why: 'spike of one issue: counted, stored without details', isHarmless: true },
    too_many_spans: { why: 'more than 1,000 spans in one transaction', isHarmless: true },
    too_many_attachments: { why: 'more than INBOX_ATTACHMENTS of one event', isHarmless: true },
    too_large: { why: 'larger than INBOX_ATTACHMENT_BYTES: only the name is stored', isHarmless: true },
    attachments_full: {
      why: 'the project had more than INBOX_PROJECT_ATTACHMENT_BYTES: the oldest were deleted',
      isHarmless: true
    },
    too_long: { why: 'longer than 8 MiB' },
    too_many_lines: { why: 'more than 1,000 lines in one item, or 10,000 in one envelope' },
    too_many_monitors: { why: 'more than 500 monitors in one project' },
    too_many_sessions: { why: 'more than 100 groups in one item' },
    invalid: { why: 'the item was malformed' },
    full: { why: 'the storage was full' },
    unsupported: { why: 'the inbox has no screen for them', isHarmless: true }
  },
  tunnel: {
    queue_overflow: { why: 'the spool was full' },
    expired: { why: 'it waited longer than SPOOL_MAX_AGE' },
    network_error: { why: 'no provider could be reached' },
    send_error: { why: 'the provider rejected it' },
    ratelimit_backoff: { why: 'the provider limited the rate' }
  }
}

/** Reason for clients that obey the rate limits for the categories that the inbox refuses. */
const NOT_WANTED: Reason = {
  why: 'the inbox has no screen for them, so clients are asked not to send them',
  isHarmless: true
}

const WHO: Readonly<Record<string, string>> = {
  client: 'dropped by clients',
  tunnel: 'dropped by the tunnel',
  inbox: 'dropped by the inbox'
}

/** Explains a drop in words: what was dropped, by whom and why. */
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
