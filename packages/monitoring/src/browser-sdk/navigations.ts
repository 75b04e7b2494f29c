import {
  getCurrentScope,
  startBrowserTracingNavigationSpan,
  startBrowserTracingPageLoadSpan,
  startInactiveSpan,
  startNewTrace,
  withActiveSpan,
  type BrowserClient,
  type Span
} from '@sentry/browser'
import { browserPerformanceTimeOrigin, spanToBaggageHeader, spanToTraceHeader, timestampInSeconds } from '@sentry/core'
import type { BrowserShell, NavigationStart, ShellListener } from '@hull/common/browser-shell.ts'
import { isStored, navigationEntry } from './document-trace.ts'
import { noteShown } from './interactions.ts'

/** Attribute with the source of a transaction's name; `route` is for a pattern. */
const NAME_SOURCE = 'sentry.segment.name.source'
const BY_ROUTE = { [NAME_SOURCE]: 'route' } as const

/** The SDK's status code of a failed span. */
const FAILED = 2

/** Headers with which another span continues a trace. */
interface Continuation {
  sentryTrace: string
  baggage: string | undefined
}

/** Instead of the headers of a trace: the SDK begins a new one. */
const NEW_TRACE = { sentryTrace: 'new' }

/**
 * Starts the span of the page load in the document's trace, which the SDK reads from meta tags or `Server-Timing`. The
 * trace of a document that the browser had stored has ended.
 */
export function startPageLoad(client: BrowserClient, shell: BrowserShell): void {
  const trace = isStored() ? NEW_TRACE : undefined
  const startTime = startOfVisit()
  const options = { ...describe(shell.documentUrl(), shell), ...(startTime && { startTime }) }
  const load = startBrowserTracingPageLoadSpan(client, options, trace)
  // The SDK moves the start back to that of the earliest span, which is the request of the document.
  if (load && startTime) Object.assign(load, { updateStartTime() {} })
  nameScope(load, shell)
}

/** Seconds since the epoch at which a visitor opened a prerendered document; undefined for any other document. */
function startOfVisit(): number | undefined {
  const requested = browserPerformanceTimeOrigin()
  const { activationStart = 0 } = navigationEntry() ?? {}
  return requested && activationStart > 0 ? (requested + activationStart) / 1_000 : undefined
}

/** Creates a transaction for each navigation and each prefetch. */
export function traceNavigations(client: BrowserClient, shell: BrowserShell): void {
  /** Traces of prefetches, by answer. */
  const traces = new WeakMap<Promise<unknown>, Continuation>()
  addEventListener('pageshow', ({ persisted }) => {
    const url = new URL(location.href)
    if (persisted) navigation({ routeName: shell.routeName(url.pathname), url })({})
  })
  shell.subscribe({ navigation, prefetch })

  /**
   * Starts a span from the click until the page is shown, in a new trace or in the trace of the prefetch that it uses.
   */
  function navigation({ url, prefetched }: NavigationStart): ReturnType<NonNullable<ShellListener['navigation']>> {
    const trace = prefetched && traces.get(prefetched)
    const options = describe(url, shell)
    const root = trace
      ? // The SDK's only way to start such a span in a given trace.
        startBrowserTracingPageLoadSpan(
          client,
          { ...options, op: 'navigation', startTime: timestampInSeconds(), parentSpan: null },
          trace
        )
      : startBrowserTracingNavigationSpan(client, options, { url: url.href })
    // Keeps the navigation's own span open, which ends by itself when it has no open child.
    const shown = root && startInactiveSpan({ name: options.name, op: 'ui.navigation', parentSpan: root })
    return ({ routeName, error }) => {
      if (root?.isRecording()) {
        if (routeName !== undefined && routeName !== options.name)
          root.updateName(routeName).setAttribute(NAME_SOURCE, 'route')
        if (error !== undefined) root.setStatus({ code: FAILED, message: 'internal_error' })
      }
      shown?.end()
      nameScope(root, shell)
    }
  }

  /** Traces a prefetch in a new trace: the current page has not requested it, and it may remain unused. */
  function prefetch<T>(name: string, request: () => Promise<T>): Promise<T> {
    const span = startNewTrace(() =>
      startInactiveSpan({ name, op: 'prefetch', forceTransaction: true, attributes: BY_ROUTE })
    )
    let answer!: Promise<T>
    // Only for the call: with a promise as its result, the span would stay active until the promise settles.
    withActiveSpan(span, () => {
      answer = request()
    })
    traces.set(answer, { sentryTrace: spanToTraceHeader(span), baggage: spanToBaggageHeader(span) })
    answer.then(
      () => {
        span.end()
      },
      () => {
        span.setStatus({ code: FAILED, message: 'cancelled' }).end()
      }
    )
    return answer
  }
}

function describe({ pathname, origin }: URL, { routeName }: BrowserShell) {
  return {
    name: routeName(pathname),
    attributes: { ...BY_ROUTE, 'url.path': pathname, 'url.full': origin + pathname }
  }
}

/**
 * Names errors and interactions after the page that is shown.
 * @param root span that led to the page
 */
function nameScope(root: Span | undefined, { routeName }: BrowserShell) {
  const name = routeName(location.pathname)
  getCurrentScope().setTransactionName(name)
  noteShown(name, root)
}
