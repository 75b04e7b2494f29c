import type { ShellError } from '@hull/common/browser-shell.ts'

/** Settings for the browser to report errors and spans. The same for all visitors, so that any cache may store them. */
export interface BrowserMonitoring {
  /** DSN of the envelopes. Its public key is not secret. */
  dsn: string
  /** Path to send envelopes to. */
  tunnel: string
  release: string
  environment: string
  /** Share of the traces beginning in the browser that are recorded, from 0 to 1. */
  sampleRate: number
  /** Origins besides our own whose requests carry the trace, compared as a whole. */
  targets: readonly string[]
  /** Path at and below which nothing is monitored. @default none */
  unwatched?: string
}

/**
 * Id of the document's element that contains the {@link BrowserMonitoring} as JSON. A link to `#monitoring` leads to the
 * first element with that id, which must be one of the page.
 */
export const MONITORING_ID = 'hull-monitoring'

/** Name of the global queue for errors. Undefined if nothing is reported. */
export const ERROR_QUEUE = '$errors'

/**
 * Maximum errors in the queue; further ones are only counted. A guess: a page that fails this often has one error
 * repeatedly.
 */
export const ERROR_QUEUE_SIZE = 20

/** An error that the shell caught, with the time since the document's time origin, as events of the browser have it. */
export interface CaughtError extends ShellError {
  timeStamp: number
}

export interface ErrorQueue {
  length: number
  /** `page`: URL of the page on which the error happened. @default the page that is shown */
  push: (error: (ErrorEvent | PromiseRejectionEvent | CaughtError) & { page?: string }) => unknown
  /** Number of errors that did not fit. */
  lost?: number
}
