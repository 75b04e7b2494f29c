/** A navigation in the document, without a new document. */
export interface NavigationStart {
  /** Pattern of the route that was requested, such as `/items/[id]`. */
  routeName: string
  url: URL
  /** The promise that {@link ShellListener.prefetch} returned, if this navigation uses its answer. */
  prefetched?: Promise<unknown>
}

/** How a navigation ended: with a page, with an error, or aborted, which has neither. */
export interface NavigationEnd {
  /** Pattern of the route shown; a redirect may have led to another one. */
  routeName?: string
  error?: unknown
}

/** An error that React or the shell caught; the browser's own events have all others. */
export interface ShellError {
  error: unknown
  /** Identifies the error: the error page shows it when a listener reports the error. */
  digest: string
  /** False when no boundary could show it. */
  handled: boolean
  componentStack?: string
}

/**
 * Functions that the shell calls; each is optional. What one of them throws goes to the browser's `error` event, and
 * changes nothing in the shell.
 */
export interface ShellListener {
  /** A navigation starts. @returns a function that is called once, when the navigation ends */
  navigation?: (start: NavigationStart) => (end: NavigationEnd) => void
  /** Page data is requested ahead of a navigation. Must call `request` once, at once, and return its promise. */
  prefetch?: <T>(routeName: string, request: () => Promise<T>) => Promise<T>
  /** An error was caught. @returns whether the listener reports it: only then the visitor is shown its digest */
  error?: (error: ShellError) => boolean
  /** Whether a page may be shown in this document. @returns false: it is loaded as a new document */
  allowsInPlace?: (url: URL) => boolean
}

const listeners = new Set<ShellListener>()

/** Adds a listener. @returns a function that removes it */
export function subscribe(listener: ShellListener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Tells listeners that a navigation starts. @returns the function that tells them its end */
export function startNavigation(start: NavigationStart): (end: NavigationEnd) => void {
  const ends = call(({ navigation }) => navigation?.(start))
  return (end) => {
    for (const onEnd of ends) attempt(() => onEnd?.(end))
  }
}

/** Requests page data ahead of a navigation, through the listeners. */
export function requestAhead<T>(routeName: string, request: () => Promise<T>): Promise<T> {
  let send = request
  for (const { prefetch } of listeners) {
    const inner = send
    if (prefetch) send = () => prefetch(routeName, inner)
  }
  return send()
}

/** Tells listeners of an error. @returns whether one of them reports it */
export const publishError = (error: ShellError): boolean => call((listener) => listener.error?.(error)).includes(true)

/** Whether every listener lets the page be shown in this document. */
export const isAllowedInPlace = (url: URL): boolean =>
  !call(({ allowsInPlace }) => allowsInPlace?.(url)).includes(false)

const call = <T>(run: (listener: ShellListener) => T): Array<T | undefined> =>
  [...listeners].map((listener) => attempt(() => run(listener)))

function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    reportError(error)
    return undefined
  }
}
