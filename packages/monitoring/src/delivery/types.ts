/** What is known of an envelope beside its bytes. */
export interface EnvelopeMeta {
  /** Its own for as long as it is in a spool, whichever process has it: who is told of it twice knows it by this. @default given by the spool */
  key?: string
  /** DSN of the provider it is for, as configured. */
  dsn: string
  /** Envelope header without `sent_at`: only `event_id`, `dsn`, `sdk`, `trace`. Its `dsn` is that of the client. */
  header: Record<string, unknown>
  /** The client's `sent_at`, milliseconds since the epoch. */
  sentAt?: number
  /** Milliseconds since the epoch. */
  receivedAt: number
  /** Goes on as X-Sentry-Forwarded-For. */
  clientAddress?: string
  /** Items by data category. */
  counts: Record<string, number>
}
export interface EnvelopeWriter {
  /** Bytes after the envelope's header line, in order. A promise asks the caller to wait before the next. */
  write: (chunk: Uint8Array) => Promise<void> | undefined
  /** Resolves when the envelope is on disk. @throws SpoolUnavailable */
  commit: (meta: EnvelopeMeta) => Promise<void>
  /** Forgets what was written. */
  abort: () => void
}
/** An envelope that is at hand whole. */
export interface Envelope {
  meta: EnvelopeMeta
  /** Everything after the header line. */
  body: Uint8Array
}

/**
 * The one way in for envelopes, whoever sends them. There are two: the spool, for providers outside, and the inbox.
 * @see docs/decisions/053-one-sink.md
 */
export interface EnvelopeSink {
  /**
   * Resolves when the envelope is on disk.
   * @throws SpoolUnavailable when it cannot be stored now
   * @throws InboxKeyUnknown when its project was removed meanwhile
   */
  accept: (envelope: Envelope) => Promise<void>
  /** The same for a body that comes in pieces. @param dsn the provider that the envelope is for */
  begin: (dsn: string) => EnvelopeWriter
  /** Value for X-Sentry-Rate-Limits to this DSN's clients, with the seconds that remain; undefined when there are none. */
  rateLimits: (dsn: string) => string | undefined
}

/** What a route for envelopes needs of a sink. */
export type StreamSink = Pick<EnvelopeSink, 'begin' | 'rateLimits'>
