/**
 * Sentry's data categories, in which rate limits are stated and losses are counted, by the type of an item. What an SDK
 * calls `metric` the protocol calls `trace_metric`, and `profile_chunk` limits apply to profiles.
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

/** The data category of an item; `default` for a type that has none of its own. */
export const categoryOf = (type: string): string => CATEGORIES.get(type) ?? 'default'

/** Types that Relay measures against its limit for events. */
const EVENTS = new Set(['event', 'transaction', 'security', 'raw_security', 'replay_event', 'feedback', 'form_data'])

export const isEvent = (type: string): boolean => EVENTS.has(type)

export const isSession = (type: string): boolean => type === 'session' || type === 'sessions'

/**
 * Who gives way when there is no room: 0 first, ERROR last. Bulky ones carry the most bytes for the least that anybody
 * would miss. Ours; the names are Sentry's data categories.
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

/** Categories whose rank is at most this give way once that share of the spool is used. A guess. */
const PRESSURE: ReadonlyArray<readonly [share: number, rank: number]> = [
  [0.95, ERROR],
  [0.85, OTHER],
  [0.65, 1],
  [0.5, 0]
]

/** Categories in one envelope; past these they would be an attack on our bookkeeping. */
const MAX_CATEGORIES = 12

const NAME = /^[a-z][a-z_]{0,39}$/

export const isCategory = (name: string): boolean => NAME.test(name)

/** The rank of an envelope is that of its weightiest item: an error keeps its attachments. */
export function rankOf(categories: readonly string[]): number {
  return categories.length === 0 ? OTHER : Math.max(...categories.map((name) => RANKS[name] ?? OTHER))
}

/** Categories that give way before errors do. */
export const BULKY = Object.keys(RANKS).filter((name) => RANKS[name]! <= 1 && name !== 'internal')

/** Whether an envelope has nothing but bulky items, and reports of drops that came with them. */
export const isBulky = (categories: readonly string[]): boolean =>
  rankOf(categories) <= 1 && categories.some((name) => name !== 'internal')

/** Whether an envelope of the server's own may be lost with the process, so that the disk is spared: one without errors. */
export const mayPass = (lane: string): boolean => lane === 'transaction'

/** What an envelope waits and gives way by: its categories, in one order. */
export function toLane(counts: Record<string, number>): string {
  const names = Object.keys(counts).filter((name) => isCategory(name) && counts[name]! > 0)
  return names.sort().slice(0, MAX_CATEGORIES).join(';')
}

export const fromLane = (lane: string): string[] => (lane === '' ? [] : lane.split(';'))

/** What is asked to stay away while `used` (0 to 1) of the spool is taken; 'all' when even errors are. */
export function categoriesUnderPressure(used: number): string[] | 'all' {
  const rank = PRESSURE.find(([share]) => used >= share)?.[1]
  if (rank === undefined) return []
  if (rank === ERROR) return 'all'
  const named = Object.keys(RANKS).filter((name) => RANKS[name]! <= rank && name !== 'internal')
  return rank < OTHER ? named : [...named, 'default', 'session', 'monitor', 'security']
}
