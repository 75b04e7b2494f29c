import type { FastifyRequest } from 'fastify'
import type { TraceFacts } from '../tracing/baggage.ts'
import type { OutsideRecorder } from '../tracing/outgoing.ts'
import type { Recorder } from '../tracing/span.ts'

/** Sends an envelope. @throws when the envelope is lost */
export type SendEnvelope = (dsn: string, envelope: Uint8Array) => Promise<EnvelopeAnswer | void>

/** Response to an envelope, with the rate limits that the SDK follows. */
export interface EnvelopeAnswer {
  statusCode?: number
  headers?: { 'x-sentry-rate-limits': string | null; 'retry-after': string | null }
}

export interface TelemetryOptions {
  /** DSN of the provider, part of every envelope and argument of `send`. */
  dsn: string
  send: SendEnvelope
  /** Name of the deployment, such as `production`. */
  environment: string
  /** Name of the running version. */
  release: string
  /** Share of traces that begin here and are recorded, from 0 to 1. */
  sampleRate: number
  /** Whether cookies, authorization, bodies, addresses and secrets in queries are sent. @default false */
  sendPii?: boolean
  /** Whether events of requests have the visitor's address, for a provider that stores only a hash of it. @default `sendPii` */
  sendAddress?: boolean
  /** Folder that the build wrote, with one file of the SDK: it loads in a tenth of the time. @default the whole package is loaded */
  dist?: string
  /** Told of a use of the SDK that has no effect. @default it is not told */
  warn?: (error: Error) => void
}

/** An unexpected error, and where it came from. */
export interface ErrorReport {
  error: unknown
  /** Under which visitor, log and event find each other. */
  digest: string
  /** @default the one that this code runs for, if any */
  request?: FastifyRequest
  /** It ends the process. @default false */
  fatal?: boolean
}

/** What errors and spans leave the process by. */
export interface Telemetry extends Recorder, OutsideRecorder {
  /** What it says of a trace that begins here. */
  readonly facts: TraceFacts
  captureError: (report: ErrorReport) => void
  /**
   * Hands over everything so far.
   * @param timeout milliseconds
   * @returns whether it was done in time
   */
  flush: (timeout: number) => Promise<boolean>
  /** The same, and takes nothing more. */
  close: (timeout: number) => Promise<boolean>
}
