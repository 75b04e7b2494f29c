/**
 * Sentry's data categories by type of item. Rate limits and drops are counted in categories. SDKs say `metric`, the
 * protocol says `trace_metric`, and limits for `profile_chunk` apply to profiles.
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/#definitions
 */
const CATEGORIES = new Map([
  ['event', 'error'],
  ['transaction', 'transaction'],
  ['span', 'span'],
  ['session', 'session'],
  ['sessions', 'session'],
  ['replay_event', 'replay'],
  ['replay_recording', 'replay'],
  ['replay_video', 'replay'],
  ['profile', 'profile'],
  ['profile_chunk', 'profile'],
  ['attachment', 'attachment'],
  ['feedback', 'feedback'],
  ['check_in', 'monitor'],
  ['log', 'log_item'],
  ['trace_metric', 'trace_metric'],
  ['metric', 'trace_metric'],
  ['statsd', 'metric_bucket'],
  ['metric_buckets', 'metric_bucket'],
  ['security', 'security'],
  ['raw_security', 'security'],
  ['client_report', 'internal']
])

/** Data category of an item; `default` for a type without its own. */
export const categoryOf = (type: string): string => CATEGORIES.get(type) ?? 'default'

/** Types to which Relay applies its limit for events. */
const EVENTS = new Set(['event', 'transaction', 'security', 'raw_security', 'replay_event', 'feedback', 'form_data'])

export const isEvent = (type: string): boolean => EVENTS.has(type)

export const isSession = (type: string): boolean => type === 'session' || type === 'sessions'

/**
 * Rank of each category: if there is no space, envelopes of rank 0 are dropped first, those of rank ERROR last. Bulky
 * categories have the most bytes and would be missed least. Our choice; the names are Sentry's data categories.
 */
const RANKS: Record<string, number> = {
  replay: 0,
  replay_video: 0,
  profile: 0,
  profile_chunk: 0,
  profile_chunk_ui: 0,
  transaction: 1,
  span: 1,
  attachment: 1,
  log_item: 1,
  log_byte: 1,
  trace_metric: 1,
  internal: 1,
  error: 3,
  feedback: 3
}
const OTHER = 2
const ERROR = 3

/** From this share of the spool on, clients are asked to hold back categories of at most this rank. A guess. */
const PRESSURE: ReadonlyArray<readonly [share: number, rank: number]> = [
  [0.95, ERROR],
  [0.85, OTHER],
  [0.65, 1],
  [0.5, 0]
]

/**
 * Maximum categories of a lane. SDKs send three in an envelope at most. All combinations of all categories would be 30,000
 * lanes, each of which costs time in every commit.
 */
const MAX_CATEGORIES = 4

const NAME = /^[a-z][a-z_]{0,39}$/

export const isCategory = (name: string): boolean => NAME.test(name)

/** Rank of an envelope, which is the highest rank of its items: attachments of an error are kept with it. */
export function rankOf(categories: readonly string[]): number {
  return categories.length === 0 ? OTHER : Math.max(...categories.map((name) => RANKS[name] ?? OTHER))
}

/** Categories of at most this rank by name, except for client reports: they are small, and say what is missing. */
const namesUpTo = (rank: number): string[] =>
  Object.keys(RANKS).filter((name) => RANKS[name]! <= rank && name !== 'internal')

/** Categories that are dropped before errors. */
export const BULKY = namesUpTo(1)

/** Whether an envelope has only bulky items, and possibly client reports. */
export const isBulky = (categories: readonly string[]): boolean =>
  rankOf(categories) <= 1 && categories.some((name) => name !== 'internal')

/**
 * Whether an envelope of the server's own SDK may be delivered from memory and lost with the process, to save writes:
 * only transactions.
 */
export const mayDeliverDirectly = (lane: string): boolean => lane === 'transaction'

/**
 * Lane of an envelope: its categories in a fixed order, of many those of the highest rank. Envelopes wait and are dropped by
 * lane.
 */
export function toLane(counts: Record<string, number>): string {
  const names = Object.keys(counts).filter((name) => isCategory(name) && counts[name]! > 0)
  if (names.length > MAX_CATEGORIES) names.sort((a, b) => rankOf([b]) - rankOf([a]))
  return names.slice(0, MAX_CATEGORIES).sort().join(';')
}

export const fromLane = (lane: string): string[] => (lane === '' ? [] : lane.split(';'))

/**
 * Categories that clients should hold back while a share `used` (0 to 1) of the spool is taken; 'all' if errors are
 * included.
 */
export function categoriesUnderPressure(used: number): string[] | 'all' {
  const rank = PRESSURE.find(([share]) => used >= share)?.[1]
  if (rank === undefined) return []
  if (rank === ERROR) return 'all'
  return rank < OTHER ? namesUpTo(rank) : [...namesUpTo(rank), 'default', 'session', 'monitor', 'security']
}
