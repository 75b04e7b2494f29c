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
import { spanToBaggageHeader, spanToTraceHeader, timestampInSeconds } from '@sentry/core'
import type { BrowserShell, NavigationStart, ShellListener } from '@hull/common/browser-shell.ts'
import { noteShown } from './interactions.ts'

/** Says where the name of a transaction comes from; `route` is for a pattern. */
const NAME_SOURCE = 'sentry.segment.name.source'
const BY_ROUTE = { [NAME_SOURCE]: 'route' } as const

/** The SDK's status of a span that failed. */
const FAILED = 2

/** How another span continues a trace. */
interface Continuation {
  sentryTrace: string
  baggage: string | undefined
}

/** The span of the page load, in the trace of the document: the SDK finds that in its tags, or in `Server-Timing`. */
export function startPageLoad(client: BrowserClient, shell: BrowserShell): void {
  const load = startBrowserTracingPageLoadSpan(client, describe(shell.documentUrl(), shell))
  nameScope(load, shell)
}

/** Makes a transaction of each navigation and of each prefetch. */
export function traceNavigations(client: BrowserClient, shell: BrowserShell): void {
  /** Of prefetches, by their answer. */
  const traces = new WeakMap<Promise<unknown>, Continuation>()
  addEventListener('pageshow', ({ persisted }) => {
    const url = new URL(location.href)
    if (persisted) navigation({ routeName: shell.routeName(url.pathname), url })({})
  })
  shell.subscribe({ navigation, prefetch })

  /** A trace of its own, from the click until the page is shown; or the trace of the prefetch that it uses. */
  function navigation({ url, prefetched }: NavigationStart): ReturnType<NonNullable<ShellListener['navigation']>> {
    const trace = prefetched && traces.get(prefetched)
    const options = describe(url, shell)
    const root = trace
      ? // The one way of the SDK to begin such a span in a trace that is given.
        startBrowserTracingPageLoadSpan(
          client,
          { ...options, op: 'navigation', startTime: timestampInSeconds(), parentSpan: null },
          trace
        )
      : startBrowserTracingNavigationSpan(client, options, { url: url.href })
    // Keeps the navigation's own span open, which ends by itself when nothing in it is.
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

  /** A trace of its own: the page shown has not asked for it, and it may come to nothing. */
  function prefetch<T>(name: string, request: () => Promise<T>): Promise<T> {
    const span = startNewTrace(() =>
      startInactiveSpan({ name, op: 'prefetch', forceTransaction: true, attributes: BY_ROUTE })
    )
    const answer = withActiveSpan(span, request)
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

/** Errors and interactions are named by the page that is shown. @param root what led to it */
function nameScope(root: Span | undefined, { routeName }: BrowserShell) {
  const name = routeName(location.pathname)
  getCurrentScope().setTransactionName(name)
  noteShown(name, root)
}
