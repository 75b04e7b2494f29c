/**
 * Every number that Hull is bound to, each with the rule it comes from.
 * Server and browser both import this file; nothing else may restate these values.
 */

/** Milliseconds from the start of a navigation until a page's script and stylesheet must be there; after that the document is loaded instead. */
export const ROUTE_LOAD_TIMEOUT = 3_800

/** Retries (not attempts) of a page-data fetch on a server error while rendering on the server. */
export const FETCH_RETRIES = 3

/** Milliseconds for which prefetched static page data stays fresh. */
export const STATIC_PREFETCH_STALE_TIME = 300_000

/** Characters of a single path parameter, decoded; a longer one is 404. */
export const MAX_PARAM_LENGTH = 2_048

/** Prefix of the page-data address: `/-/data/` + the page's path. */
export const DATA_PREFIX = '/-/data'

/** Address space that belongs to Hull itself: no page may live there. */
export const RESERVED_PREFIX = '/-/'

/** Milliseconds past the render deadline after which the browser gives up on a document stream that was cut. */
export const STREAM_WATCHDOG_SLACK = 2_000

/** Milliseconds for which a provider is spared after a rate limit that states no delay. */
export const RATE_LIMIT_DELAY = 60_000
