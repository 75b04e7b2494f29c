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
import { documentUrl } from '../shell/document-url.ts'
import { nameOfPath } from '../shell/modules.ts'
import type { NavigationStart, Watcher } from '../shell/watch.ts'
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
export function startPageLoad(client: BrowserClient): void {
  const load = startBrowserTracingPageLoadSpan(client, describe(documentUrl()))
  nameScope(load)
}

/** Makes a transaction of each navigation and of each request that is made ahead of one. */
export function createWatcher(client: BrowserClient): Pick<Watcher, 'navigates' | 'asksAhead'> {
  /** Of what was asked for ahead, by its answer. */
  const traces = new WeakMap<Promise<unknown>, Continuation>()
  addEventListener('pageshow', ({ persisted }) => {
    const url = new URL(location.href)
    if (persisted) navigates({ name: nameOfPath(url.pathname), url })({})
  })
  return { navigates, asksAhead }

  /** A trace of its own, from the click to the page that stands; or that of the request made ahead, which it uses. */
  function navigates({ url, ahead }: NavigationStart): ReturnType<Watcher['navigates']> {
    const trace = ahead && traces.get(ahead)
    const options = describe(url)
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
    return ({ name, error }) => {
      if (root?.isRecording()) {
        if (name !== undefined && name !== options.name) root.updateName(name).setAttribute(NAME_SOURCE, 'route')
        if (error !== undefined) root.setStatus({ code: FAILED, message: 'internal_error' })
      }
      shown?.end()
      nameScope(root)
    }
  }

  /** A trace of its own: the page shown has not asked for it, and it may come to nothing. */
  function asksAhead<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const span = startNewTrace(() =>
      startInactiveSpan({ name, op: 'prefetch', forceTransaction: true, attributes: BY_ROUTE })
    )
    const answer = withActiveSpan(span, ask)
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

function describe({ pathname, origin }: URL) {
  return {
    name: nameOfPath(pathname),
    attributes: { ...BY_ROUTE, 'url.path': pathname, 'url.full': origin + pathname }
  }
}

/** Errors and interactions are named by the page that is shown. @param root what led to it */
function nameScope(root: Span | undefined) {
  const name = nameOfPath(location.pathname)
  getCurrentScope().setTransactionName(name)
  noteShown(name, root)
}
