import type { FastifyRequest } from 'fastify'
import type { SendResult } from '../delivery/own-envelope.ts'
import { parseDsn } from '../envelope/dsn.ts'
import type { TraceFacts } from '../tracing/baggage.ts'
import type { OutsideRecorder } from '../tracing/outgoing.ts'
import type { Recorder } from '../tracing/span.ts'

/** Sends an envelope. @throws if the envelope is lost */
export type SendEnvelope = (dsn: string, envelope: Uint8Array) => Promise<EnvelopeAnswer | void>

/** Response to an envelope, with the rate limits that the SDK follows. */
export type EnvelopeAnswer = Partial<SendResult>

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
  /**
   * Output folder of the build, with the bundled SDK, which loads in a tenth of the time.
   * @default the whole package is loaded
   */
  dist?: string
  /** Called when the application uses the SDK without effect. @default ignored */
  warn?: (error: Error) => void
}

/** An unexpected error and its context. */
export interface ErrorReport {
  error: unknown
  /** Digest that the visitor's page, the log and the event have in common. */
  digest: string
  /** @default the request that the running code belongs to, if any */
  request?: FastifyRequest
  /** Whether the error ends the process. @default false */
  fatal?: boolean
  /** Whether code of the application caught the error. @default false */
  handled?: boolean
}

/** Items of one category that the server's SDK dropped for the same reason. */
export interface SdkDrop {
  /** One of Sentry's discard reasons. @see https://develop.sentry.dev/sdk/telemetry/client-reports/ */
  reason: string
  category: string
  quantity: number
}

/** Sends errors and spans. */
export interface Telemetry extends Recorder, OutsideRecorder {
  /** Items that the SDK lost since the start. The SDK also reports them to the provider or the inbox, within a minute. */
  readonly drops: readonly SdkDrop[]
  /** Envelopes that wait or are being sent. */
  readonly unsent: number
  /** Facts of traces that begin here. */
  readonly facts: TraceFacts
  captureError: (report: ErrorReport) => void
  /**
   * Sends everything captured so far.
   * @param timeout milliseconds
   * @returns whether it was done in time
   */
  flush: (timeout: number) => Promise<boolean>
  /** Like {@link flush}, and accepts nothing afterwards. */
  close: (timeout: number) => Promise<boolean>
}

/** Facts of traces that begin here. */
export function toTraceFacts({ dsn, environment, release }: TelemetryOptions): TraceFacts {
  const publicKey = parseDsn(dsn)?.publicKey
  return { environment, release, ...(publicKey !== undefined && { public_key: publicKey }) }
}
