/**
 * Limits and names that apply to all of Hull, each with its source. Server and browser both import this file; no other
 * file may repeat these values.
 */

/**
 * Maximum milliseconds from the start of a navigation until a page's script and stylesheet are loaded. After that, the
 * document is loaded instead.
 */
export const ROUTE_LOAD_TIMEOUT = 3_800

/** Maximum milliseconds until a page whose parts are loaded is shown: the server's own default limit. */
export const PAGE_RENDER_TIMEOUT = 10_000

/**
 * Milliseconds after which a navigation shows the loading view of a layout. A guess: shorter waits are not noticed, and a
 * view that appears for a moment is.
 */
export const LOADING_VIEW_DELAY = 200

/** Maximum retries (not attempts) of a page-data fetch after a server error while rendering on the server. */
export const FETCH_RETRIES = 3

/** Milliseconds for which prefetched static page data stays fresh. */
export const STATIC_PREFETCH_STALE_TIME = 300_000

/** Maximum characters of a decoded path parameter; a longer one is answered with 404. */
export const MAX_PARAM_LENGTH = 2_048

/** Prefix of the page-data address: `/-/data/` + the page's path. */
export const DATA_PREFIX = '/-/data'

/** Address space of Hull itself, without pages. */
export const RESERVED_PREFIX = '/-/'

/** Milliseconds after the render deadline at which the browser gives up on an interrupted document stream. */
export const STREAM_WATCHDOG_SLACK = 2_000

/** Path to which browsers send error reports and traces: the tunnel to the provider. */
export const MONITORING_PATH = '/monitoring'

/** Maximum characters of a propagation header, sent or accepted, after merging (W3C Baggage §3.3.2). */
export const MAX_PROPAGATION_LENGTH = 8_192

/** Maximum members of `baggage`, sent or accepted (W3C Baggage §3.3.2). */
export const MAX_BAGGAGE_MEMBERS = 64

/** Maximum members of `tracestate`, sent or accepted (W3C Trace Context §3.3.1.1). */
export const MAX_TRACESTATE_MEMBERS = 32

/** Maximum spans below the root of a transaction. The SDK counts further ones and omits them. */
export const MAX_TRANSACTION_SPANS = 1_000

/** Maximum frames of a stack trace; the innermost are kept. */
export const MAX_STACK_FRAMES = 50

/** Maximum concurrent envelopes of an SDK. A browser drops and counts further ones; the server queues them. */
export const TRANSPORT_QUEUE_SIZE = 64

/** Milliseconds without a child after which the browser ends the span of a page load or navigation. */
export const IDLE_TIMEOUT = 1_000

/** Milliseconds after which the browser ends such a span even if children are open. */
export const FINAL_TIMEOUT = 30_000

/** Milliseconds after which an open child no longer keeps its parent open in the browser. */
export const CHILD_SPAN_TIMEOUT = 15_000

/** Milliseconds after which the browser no longer links a trace to the previous one. */
export const PREVIOUS_TRACE_MAX_AGE = 3_600_000

/** Milliseconds without requests to a provider after a rate limit without a delay. */
export const RATE_LIMIT_DELAY = 60_000

/** Event on Vite's socket, in development, that reports a changed file in the client folder to a tab. */
export const CHANGE_EVENT = 'hull:change'

/** Event in a tab, and on Vite's socket, in development, with an error of the browser. */
export const BROWSER_ERROR_EVENT = 'hull:browser-error'

/** Event in a tab, and on Vite's socket, in development, with the digest of an error of the server. */
export const SERVER_ERROR_EVENT = 'hull:server-error'

/** Event on Vite's socket, in development, with an error for the overlay of a tab. */
export const OVERLAY_EVENT = 'hull:overlay'

/**
 * Event in a tab that has connected to a restarted development server, if Vite has replaced modules in it before. The
 * new server does not know the addresses of the replaced modules.
 */
export const RESTART_EVENT = 'hull:restart'

/** Name for requests without a route. Their path would be a name of which visitors could create any number. */
export const NO_ROUTE = '(no route)'
