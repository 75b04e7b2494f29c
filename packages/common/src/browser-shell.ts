/*
 * Types of the interface between the shell in the browser and its subscribers, such as monitoring. Both import these
 * types, and neither imports the other.
 */

/** A navigation within the document. */
export interface NavigationStart {
  /** Pattern of the requested route, such as `/items/[id]`. */
  routeName: string
  url: URL
  /** The promise that {@link ShellListener.prefetch} returned, if this navigation uses its answer. */
  prefetched?: Promise<unknown>
}

/** Result of a navigation: a page, an error, or neither if it was aborted. */
export interface NavigationEnd {
  /** Pattern of the route that is shown, which differs after a redirect. */
  routeName?: string
  error?: unknown
}

/** An error that React or the shell caught. The browser emits events for all others. */
export interface ShellError {
  error: unknown
  /** Identifies the error. The error page shows it if a listener reports the error. */
  digest: string
  /** False if no boundary could show the error. */
  handled: boolean
  componentStack?: string
}

/**
 * Optional functions that the shell calls. An error thrown by one is passed to the browser's `error` event and does not
 * affect the shell.
 */
export interface ShellListener {
  /**
   * Called when a navigation starts.
   * @returns function to call once, when the navigation ends
   */
  navigation?: (start: NavigationStart) => (end: NavigationEnd) => void
  /** Called to prefetch page data. Must immediately call `request` once and return its promise. */
  prefetch?: <T>(routeName: string, request: () => Promise<T>) => Promise<T>
  /**
   * Called when an error was caught.
   * @returns whether the listener reports the error; only then is its digest shown to the visitor
   */
  error?: (error: ShellError) => boolean
  /**
   * Whether a page may be shown in this document.
   * @returns false if the page must be loaded as a new document
   */
  allowsInPlace?: (url: URL) => boolean
}

/**
 * A text of a notice above the page. `form-…` is about a form that keeps what was typed; `sign-in` is the label of a link
 * in the notice `signed-out`.
 */
export type NoticeName =
  | 'form-unsent'
  | 'form-failed'
  | 'form-refused'
  | 'form-unknown'
  | 'form-outdated'
  | 'page-outdated'
  | 'signed-out'
  | 'sign-in'

/** Interface of the shell in the browser, passed to `client/browser.ts` before the document is hydrated. */
export interface BrowserShell {
  /**
   * Adds a listener for navigations, prefetches and errors.
   * @returns function that removes it
   */
  subscribe: (listener: ShellListener) => () => void
  /** Pattern of the route at a path, such as `/items/[id]`; the same as on the server. */
  routeName: (path: string) => string
  /** URL from which the document was loaded, while `location` changes with each navigation. */
  documentUrl: () => URL
  /** Digest of an error; always the same for the same object. */
  digestOf: (error: unknown) => string
  /** Whether a thrown value needs no report: an outcome, a redirect, or an error that the server has reported. */
  isExpected: (value: unknown) => boolean
  /**
   * Replaces texts of notices, for example by another language.
   * @param toText called when a notice is shown. Returns its text; undefined is the shell's own, in English. An
   * exception goes to the browser's `error` event, and the shell's own text is shown.
   */
  setNotices: (toText: (name: NoticeName) => string | undefined) => void
}
