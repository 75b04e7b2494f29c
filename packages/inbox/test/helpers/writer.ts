import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type { AttachmentLimits } from '../../src/ingest/items/attachment.ts'
import type { Test } from 'tap'
import { InboxWriter } from '../../src/store/writer.ts'
import { openInboxFile } from '../../src/store/sqlite/file.ts'
import type { Envelope } from '@hull/monitoring'
import type { EventDetail } from '../../src/store/model.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { serverUrl, takePostgresStore } from './database.ts'

export const createEventId = (): string => randomBytes(16).toString('hex')

export interface EnvelopeOver {
  project?: number
  eventId?: string
  receivedAt?: number
  sentAt?: number
  address?: string
  sdk?: string
  /** DSN in the header of the envelope. @default the DSN of the project */
  dsn?: string
}

/**
 * Creates an envelope as the spool stores it.
 * @param items type and payload of each item
 */
export function createEnvelope(items: [type: string, payload: unknown][], over: EnvelopeOver = {}): Envelope {
  const { project = 1, eventId, receivedAt = Date.now(), sentAt, address, sdk, dsn } = over
  const body = items.map(([type, payload]) => {
    const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))
    return Buffer.concat([Buffer.from(`${JSON.stringify({ type, length: bytes.length })}\n`), bytes, Buffer.from('\n')])
  })
  return {
    meta: {
      dsn: 'https://inbox@inbox.invalid/0',
      header: {
        dsn: dsn ?? `https://key@inbox.invalid/${project}`,
        ...(eventId !== undefined && { event_id: eventId }),
        ...(sdk !== undefined && { sdk: { name: sdk } })
      },
      receivedAt,
      ...(sentAt !== undefined && { sentAt }),
      ...(address !== undefined && { clientAddress: address }),
      counts: {}
    },
    body: Buffer.concat(body)
  }
}

/** Creates an event with one exception, as the SDK of a browser sends it. */
export function createRawEvent(over: Record<string, unknown> = {}) {
  return {
    event_id: createEventId(),
    timestamp: Date.now() / 1_000,
    platform: 'javascript',
    sdk: { name: 'sentry.javascript.browser', version: '11.11.0' },
    level: 'error',
    release: '1.0.0',
    environment: 'production',
    transaction: '/items/[id]',
    exception: { values: [createRawException()] },
    request: {
      url: 'https://shop.example/items/7?colour=red',
      headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36' }
    },
    ...over
  }
}

export const createRawException = (over: Record<string, unknown> = {}) => ({
  type: 'TypeError',
  value: 'cart is undefined',
  mechanism: { type: 'onerror', handled: false },
  stacktrace: {
    frames: [
      { filename: 'https://shop.example/app.js', function: 'render', lineno: 10, colno: 5, in_app: true },
      { filename: 'https://shop.example/app.js', function: 'submit', lineno: 20, colno: 7, in_app: true }
    ]
  },
  ...over
})

export interface TestWriterOptions {
  file?: string
  maxBytes?: number
  retentionDays?: number
  attachments?: AttachmentLimits
  release?: string
  now?: () => number
  /** @default `now` if it is given, otherwise the monotonic clock of the machine */
  steady?: () => number
}

/** @param mayBePostgres whether the test can run without the file */
function openWriterStore(t: Test, file: string, maxBytes: number, mayBePostgres: boolean): Store {
  if (serverUrl !== undefined && mayBePostgres) return takePostgresStore(t)
  const store = new SqliteStore(openInboxFile(file, maxBytes))
  t.teardown(() => store.close())
  return store
}

/** Opens a writer of the inbox in this thread, on a new file or on PostgreSQL. */
export function openWriter(t: Test, options: TestWriterOptions = {}) {
  const { maxBytes = 256 * 1024 ** 2, retentionDays = 30, attachments, release = 'boot', now = Date.now } = options
  const file = options.file ?? join(createFolder(t), 'inbox.db')
  const store = openWriterStore(t, file, maxBytes, options.file === undefined)
  const writer = new InboxWriter(
    store,
    { maxBytes, retentionDays, release, ...(attachments && { attachments }) },
    now,
    options.steady
  )

  return {
    file,
    store,
    writer,
    /** Stores one event in a separate envelope. */
    send: (event: Record<string, unknown>, over?: EnvelopeOver) =>
      writer.ingest([createEnvelope([['event', event]], over)]),
    /** Reads the stored details of an event. */
    detailOf(eventId: string): EventDetail | undefined {
      const row = store.get<{ body: Uint8Array }>(
        'SELECT body FROM event_payload JOIN event ON event.id = event_payload.event WHERE event_id = ?',
        eventId
      )
      return row && JSON.parse(zstdDecompressSync(row.body).toString())
    },
    count: (table: string): number => store.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)!.rows,
    /** Deletes everything that retention can delete now. */
    tidy(): void {
      while (writer.tidy());
    }
  }
}
