/** Metadata of an envelope. */
export interface EnvelopeMeta {
  /** Identifies the envelope while it is in a spool, across processes, so that a receiver recognises a second delivery. @default assigned by the spool */
  key?: string
  /** DSN of its provider, as configured. */
  dsn: string
  /** Envelope header without `sent_at`: only `event_id`, `dsn`, `sdk`, `trace`. Its `dsn` is that of the client. */
  header: Record<string, unknown>
  /** The client's `sent_at`, milliseconds since the epoch. */
  sentAt?: number
  /** Milliseconds since the epoch. */
  receivedAt: number
  /** IP address of the client, sent as X-Sentry-Forwarded-For. */
  clientAddress?: string
  /** Number of items by data category. */
  counts: Record<string, number>
  /** Set by a sink that has the envelope in memory only, so that it is lost if the process ends. The answer is then 202. */
  isInMemory?: boolean
}
export interface EnvelopeWriter {
  /** Appends bytes of the envelope after its header line. If it returns a promise, wait for it before the next call. */
  write: (chunk: Uint8Array) => Promise<void> | undefined
  /** Resolves when the envelope is on disk. @throws SpoolUnavailable */
  commit: (meta: EnvelopeMeta) => Promise<void>
  /** Discards the written bytes. */
  abort: () => void
}
/** A complete envelope. */
export interface Envelope {
  meta: EnvelopeMeta
  /** Everything after the header line. */
  body: Uint8Array
}

/**
 * Accepts envelopes of browsers, services and the server's own SDK. There are two: the spool, for providers, and the inbox.
 * @see docs/decisions/053-one-sink.md
 */
export interface EnvelopeSink {
  /**
   * Resolves when the envelope is on disk.
   * @throws SpoolUnavailable if it cannot be stored now
   * @throws InboxKeyUnknown if its project was removed in the meantime
   */
  accept: (envelope: Envelope) => Promise<void>
  /**
   * Like {@link accept}, for a body that arrives in chunks.
   * @param dsn of the envelope's provider
   */
  begin: (dsn: string) => EnvelopeWriter
  /** Value for X-Sentry-Rate-Limits to this DSN's clients, with the remaining seconds; undefined without limits. */
  rateLimits: (dsn: string) => string | undefined
}

/** Part of a sink that a route for envelopes uses. */
export type StreamSink = Pick<EnvelopeSink, 'begin' | 'rateLimits'>
