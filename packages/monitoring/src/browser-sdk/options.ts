import type { ShellError } from '@hull/common/browser-shell.ts'

/** What the browser needs to report errors and spans. The same for everybody, so that any cache may keep it. */
export interface BrowserMonitoring {
  /** Whom its envelopes are for. Its public key is public indeed. */
  dsn: string
  /** Path to post them to. */
  tunnel: string
  release: string
  environment: string
  /** Share of the traces beginning in the browser that are kept, from 0 to 1. */
  sampleRate: number
  /** Origins besides our own whose requests carry the trace, compared whole. */
  targets: readonly string[]
  /** Path at and below which nothing is watched. @default none */
  unwatched?: string
}

/** Element of a document that holds the {@link BrowserMonitoring}, as JSON. */
export const MONITORING_ID = 'monitoring'

/** Global in which errors wait until somebody takes them. Where nothing is reported there is none. */
export const ERROR_QUEUE = '$errors'

/** Errors that wait there at most; more of them are counted. A guess: a page that fails this often fails by one error. */
export const ERROR_QUEUE_SIZE = 20

export interface ErrorQueue {
  length: number
  push: (error: ErrorEvent | PromiseRejectionEvent | ShellError) => unknown
  /** How many had no room. */
  lost?: number
}
