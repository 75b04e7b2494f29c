/**
 * Every number that Hull is bound to, each with the rule it comes from.
 * Server and browser both import this file; nothing else may restate these values.
 */

/** Milliseconds from the start of a navigation until a page's script and stylesheet must be there; after that the document is loaded instead. */
export const ROUTE_LOAD_TIMEOUT = 3_800

/** Milliseconds until a page whose parts are loaded must be shown: as long as the server gives itself by default. */
export const PAGE_RENDER_TIMEOUT = 10_000

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

/** Where browsers send their error reports and traces: the tunnel to the provider. */
export const MONITORING_PATH = '/monitoring'

/** Characters of a propagation header, sent or accepted, counted after merging (W3C Baggage §3.3.2). */
export const MAX_PROPAGATION_LENGTH = 8_192

/** Members of `baggage`, sent or accepted (W3C Baggage §3.3.2). */
export const MAX_BAGGAGE_MEMBERS = 64

/** Members of `tracestate`, sent or accepted (W3C Trace Context §3.3.1.1). */
export const MAX_TRACESTATE_MEMBERS = 32

/** Spans below the root of a transaction; the SDK counts those past it, and leaves them out. */
export const MAX_TRANSACTION_SPANS = 1_000

/** Frames of a stack trace: the innermost are kept. */
export const MAX_STACK_FRAMES = 50

/** Envelopes that the SDK has on their way at the same time; one more is dropped, and counted. */
export const TRANSPORT_QUEUE_SIZE = 64

/** Milliseconds without a child after which the browser ends the span of a page load or navigation. */
export const IDLE_TIMEOUT = 1_000

/** Milliseconds after which the browser ends it whatever its children do. */
export const FINAL_TIMEOUT = 30_000

/** Milliseconds a child may be open in the browser, before it no longer keeps its parent open. */
export const CHILD_SPAN_TIMEOUT = 15_000

/** Milliseconds after which the browser no longer links a trace to the one before. */
export const PREVIOUS_TRACE_MAX_AGE = 3_600_000

/** Milliseconds for which a provider is spared after a rate limit that states no delay. */
export const RATE_LIMIT_DELAY = 60_000

/** In development: the event by which Vite's socket tells a tab that a file in the client folder has changed. */
export const CHANGE_EVENT = 'hull:change'

/** Stands for a route's name where there is none. A path would do, but there are as many of them as there are visitors. */
export const NO_ROUTE = '(no route)'
