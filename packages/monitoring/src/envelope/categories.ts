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
