/**
 * Data categories that the inbox has no screen for. Clients are asked not to send them, by a rate limit on each answer;
 * what comes nevertheless is counted and not stored. The SDKs know some of them under two names.
 */
export const REFUSED_CATEGORIES: readonly string[] = [
  'replay',
  'profile',
  'profile_chunk',
  'profile_chunk_ui',
  'trace_metric',
  'metric',
  'metric_bucket'
]
