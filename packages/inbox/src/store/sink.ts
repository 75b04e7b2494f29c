import { randomUUID } from 'node:crypto'
import { InboxKeyUnknown } from '../errors.ts'
import { SpoolUnavailable } from '@hull/monitoring/envelope'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { completesWithin } from '@hull/common/completes-within.ts'
import { HOUR } from '@hull/common/time.ts'
import {
  type Envelope,
  type EnvelopeMeta,
  type EnvelopeSink,
  limitsUnderPressure,
  toRateLimitHeader
} from '@hull/monitoring'
import { createBodyWriters } from './body-writer.ts'
import type { LargeBody } from './large-body.ts'
import { toPartKey } from '../ingest/delivery-keys.ts'
import type { IngestOutcome, IngestRequest } from './messages.ts'
import { REFUSED_CATEGORIES } from '../ingest/drops.ts'

/** Maximum envelopes in one commit. A guess: above it, the cost of a commit is negligible. */
const MAX_BATCH = 256

/** Maximum bytes of envelopes in one commit. The thread is blocked meanwhile. A guess. */
const MAX_BATCH_BYTES = 4 * 1024 ** 2

/** Bytes in the queue above which senders of large bodies have to wait, until half of it is left. As in the spool. */
export const MAX_WAITING = 8 * 1024 ** 2

/** Bytes in the queue above which envelopes are refused. A guess: some seconds of a disk's work. */
export const MAX_QUEUED = 64 * 1024 ** 2

/** Bytes counted for each queued envelope in addition to its body. Measured roughly. */
const OVERHEAD = 1_024

/** Milliseconds to store the queued envelopes when the inbox closes. */
const CLOSE_TIMEOUT = 2_000

/**
 * Milliseconds for which clients are asked not to send categories that the inbox never stores. A guess: most pages are
 * open for less.
 */
const REFUSAL_DURATION = HOUR

interface Queued {
  meta: EnvelopeMeta
  body: Uint8Array | LargeBody
  resolve: () => void
  reject: (error: Error) => void
}

export interface InboxSink extends EnvelopeSink {
  /** Number and bytes of the envelopes that are not committed yet. */
  readonly waiting: { envelopes: number; bytes: number }
  /** Refuses new envelopes and waits until the queue is empty. */
  close: () => Promise<void>
}

/** Cause of the error for a batch that the thread did not answer before it ended. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded'
}

export interface InboxSinkOptions {
  /** Folder for large bodies until they are committed. */
  folder: string
  /**
   * Stores a batch in one commit.
   * @returns the result for each envelope
   * @throws Error if no envelope was stored; with the cause {@link ThreadEnded} if that is unknown
   */
  ingest: (request: IngestRequest, transfer: ArrayBuffer[]) => Promise<IngestOutcome[]>
  /**
   * Keeps an envelope that could not be stored, for a later attempt. Its key identifies it, so that it is stored once.
   * @throws Error if it cannot be kept
   * @default it is refused
   */
  keep?: (meta: EnvelopeMeta, body: Uint8Array | LargeBody) => Promise<void>
}

/**
 * Sends envelopes to the inbox's thread in batches. Envelopes of the same turn, and those that arrive during a commit,
 * share the next commit. The thread has one batch at a time: with a second one that waits, batches have half the size,
 * and a database stores a quarter less.
 */
export function createInboxSink({ folder, ingest, keep }: InboxSinkOptions): InboxSink {
  const queue: Queued[] = []
  let sending: Promise<void> | undefined
  const blocked: (() => void)[] = []
  let bytes = 0
  let envelopes = 0
  let scheduled = false
  let closed = false

  function put(meta: EnvelopeMeta, body: Uint8Array | LargeBody): Promise<void> {
    if (closed) return Promise.reject(new SpoolUnavailable({ cause: new Error('the inbox is closed') }))
    const cost = costOf(body)
    if (bytes > 0 && bytes + cost > MAX_QUEUED)
      return Promise.reject(new SpoolUnavailable({ cause: new Error('the queue of the inbox is full') }))
    bytes += cost
    envelopes++
    return new Promise<void>((resolve, reject) => {
      queue.push({ meta, body, resolve, reject })
      if (!scheduled) setImmediate(safeCallback(pump))
      scheduled = true
    })
  }

  function pump(): void {
    scheduled = false
    if (sending || queue.length === 0) return
    sending = send(nextBatch()).finally(() => {
      sending = undefined
      pump()
    })
  }

  /** Takes the next batch from the queue. A large body is a batch of its own. */
  function nextBatch(): Queued[] {
    let size = 0
    let count = 0
    for (const { body } of queue) {
      const isLarge = !(body instanceof Uint8Array)
      if (count > 0 && (isLarge || size + body.length > MAX_BATCH_BYTES || count === MAX_BATCH)) break
      size += body.length
      count++
      if (isLarge) break
    }
    return queue.splice(0, count)
  }

  async function send(batch: Queued[]): Promise<void> {
    const key = randomUUID()
    try {
      const outcomes = await ingestBatch(batch, key)
      for (const [index, { resolve, reject }] of batch.entries())
        if (outcomes[index] === 'stored') resolve()
        else reject(new InboxKeyUnknown())
    } catch (cause) {
      await Promise.all(batch.map((queued, index) => keepOrRefuse(queued, toPartKey(key, index), cause)))
    }
    envelopes -= batch.length
    for (const { body } of batch) bytes -= costOf(body)
    if (bytes <= MAX_WAITING / 2) unblock()
  }

  async function keepOrRefuse({ meta, body, resolve, reject }: Queued, key: string, cause: unknown): Promise<void> {
    try {
      if (!keep) throw cause
      meta.key ??= key
      await keep(meta, body)
      resolve()
    } catch (error) {
      reject(error instanceof SpoolUnavailable ? error : new SpoolUnavailable({ cause: error }))
    }
  }

  /**
   * Stores a batch. If the thread ends before it answers, sends the batch to the next thread, which recognises a
   * committed batch by its key.
   */
  async function ingestBatch(batch: Queued[], key: string): Promise<IngestOutcome[]> {
    try {
      return await ingestOnce(batch, key)
    } catch (error) {
      if (!((error as Error).cause instanceof ThreadEnded)) throw error
      return await ingestOnce(batch, key)
    }
  }

  function ingestOnce(batch: Queued[], key: string): Promise<IngestOutcome[]> {
    const request = toRequest(batch, key)
    return ingest(request, request.bytes.byteLength > 0 ? [request.bytes.buffer] : [])
  }

  function unblock(): void {
    for (const resolve of blocked.splice(0)) resolve()
  }

  /** Resolves when the queue has room again; undefined if it has room now. */
  function waitForRoom(): Promise<void> | undefined {
    if (bytes <= MAX_WAITING || closed) return undefined
    return new Promise((resolve) => blocked.push(resolve))
  }

  return {
    accept: ({ meta, body }: Envelope) => put(meta, body),
    begin: createBodyWriters({ folder, put, waitForRoom }),
    rateLimits: () =>
      toRateLimitHeader([
        ...limitsUnderPressure(bytes / MAX_QUEUED),
        { categories: [...REFUSED_CATEGORIES], duration: REFUSAL_DURATION }
      ]),
    get waiting() {
      return { envelopes, bytes }
    },
    async close() {
      closed = true
      unblock()
      await completesWithin(drained(), CLOSE_TIMEOUT)
    }
  }

  async function drained(): Promise<void> {
    pump()
    while (sending) await sending
  }
}

/** Bytes that count for a waiting envelope. A large body is in a file. */
export const costOf = (body: Uint8Array | LargeBody): number =>
  OVERHEAD + (body instanceof Uint8Array ? body.length : 0)

/** Copies small bodies into one buffer, which is transferred to the thread. */
function toRequest(batch: readonly Queued[], key: string): IngestRequest {
  const metas = batch.map(({ meta }) => meta)
  const [first] = batch
  if (first && !(first.body instanceof Uint8Array)) {
    const { body } = first
    return { type: 'ingest', key, metas, sizes: [body.length], bytes: new Uint8Array(), large: body }
  }
  const bodies = batch.map(({ body }) => body as Uint8Array)
  const sizes = bodies.map(({ length }) => length)
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  for (const body of bodies) {
    bytes.set(body, at)
    at += body.length
  }
  return { type: 'ingest', key, metas, sizes, bytes }
}
