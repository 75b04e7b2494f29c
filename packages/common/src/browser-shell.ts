/*
 * Types of the interface between the shell in the browser and its subscribers, such as monitoring. Both import them, and
 * neither imports the other.
 */

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

/** The shell in the browser, as `client/browser.ts` gets it before the document is hydrated. */
export interface BrowserShell {
  /** Adds a listener for navigations, prefetches and errors. @returns a function that removes it */
  subscribe: (listener: ShellListener) => () => void
  /** Pattern of the route at a path, such as `/items/[id]`; the same as on the server. */
  routeName: (path: string) => string
  /** The URL that the document was loaded from: `location` changes with each navigation. */
  documentUrl: () => URL
  /** The digest of an error: the same for each mention of the same object. */
  digestOf: (error: unknown) => string
  /** Whether a thrown value needs no report: an outcome, a redirect, or an error that the server has reported. */
  isExpected: (value: unknown) => boolean
}
