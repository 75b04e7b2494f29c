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
export interface EnvelopeSink {
  begin: () => EnvelopeWriter
  /** Value for X-Sentry-Rate-Limits to this DSN's clients, with the seconds that remain; undefined when there are none. */
  rateLimits: (dsn: string) => string | undefined
}
