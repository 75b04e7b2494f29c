import { InboxUnavailable } from '../errors.ts'
import { DeliveryFailed, type Deliverer, type SpooledEnvelope } from '../tunnel/deliverer.ts'
import type { IncomingEnvelope, IngestOutcome } from './messages.ts'
import { ThreadEnded } from './thread.ts'
import { safeCallback } from '../safe-callback.ts'

/** Envelopes in one commit. A guess: past it the cost of a commit no longer shows. */
const MAX_BATCH = 256

/** Bytes of envelopes in one commit: so long the thread does nothing else. A guess. */
const MAX_BATCH_BYTES = 4 * 1024 ** 2

/** Batches on their way: one is being stored, and the next is there when it is done. */
const MAX_BATCHES = 2

/** Times that the thread may end with an envelope in its hands, the last of them alone, until it is given up. */
const MAX_DEATHS = 3

interface Waiting extends IncomingEnvelope {
  id: number
  /** It was in the thread's hands when that ended: goes alone from now on. */
  suspect: boolean
  resolve: () => void
  reject: (error: Error) => void
}

/** Stores a batch, and says of each envelope what became of it. */
export type Ingest = (envelopes: IncomingEnvelope[], transfer: ArrayBuffer[]) => Promise<IngestOutcome[]>

/** Brings envelopes to the inbox's thread, many in one commit. */
export function createInboxDeliverer(ingest: Ingest): Deliverer {
  const queue: Waiting[] = []
  /** How often the thread ended with an envelope, by its id. */
  const deaths = new Map<number, number>()
  let batches = 0
  let scheduled = false

  function pump(): void {
    scheduled = false
    while (batches < MAX_BATCHES && queue.length > 0) void send(nextBatch())
  }

  function nextBatch(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { body, suspect } of queue) {
      if (count > 0 && (suspect || bytes + body.length > MAX_BATCH_BYTES || count === MAX_BATCH)) break
      bytes += body.length
      count++
      if (suspect) break
    }
    return queue.splice(0, count)
  }

  async function send(batch: Waiting[]): Promise<void> {
    batches++
    try {
      const envelopes = batch.map(({ meta, body }) => ({ meta, body }))
      const outcomes = await ingest(envelopes, transferable(batch))
      for (const [index, { id, resolve, reject }] of batch.entries()) {
        deaths.delete(id)
        if (outcomes[index] === 'stored') resolve()
        else reject(new DeliveryFailed('refused', 'its project is not known', { answered: true }))
      }
    } catch (error) {
      for (const waiting of batch) waiting.reject(toFailure(error, waiting))
    }
    batches--
    pump()
  }

  /** One that ends the thread each time it comes would do so for ever. */
  function toFailure(error: unknown, { id }: Waiting): DeliveryFailed {
    const count = (deaths.get(id) ?? 0) + 1
    const isDeadly = (error as Error).cause instanceof ThreadEnded && id !== 0
    if (isDeadly) deaths.set(id, count)
    if (isDeadly && count >= MAX_DEATHS) {
      deaths.delete(id)
      return new DeliveryFailed('refused', 'it ends the thread that stores it', { cause: error, answered: true })
    }
    const reason = error instanceof InboxUnavailable ? 'the inbox is not available' : (error as Error).message
    return new DeliveryFailed('failed', reason, { cause: error })
  }

  return {
    async deliver(envelope, signal) {
      const body = await readBody(envelope)
      signal.throwIfAborted()
      const { meta, id } = envelope
      await new Promise<void>((resolve, reject) => {
        queue.push({ meta, body, id, suspect: deaths.has(id), resolve, reject })
        if (!scheduled) setImmediate(safeCallback(pump))
        scheduled = true
      })
      return undefined
    }
  }
}

async function readBody({ body, bytes, size }: SpooledEnvelope): Promise<Uint8Array> {
  if (bytes) return bytes
  const pieces: Uint8Array[] = []
  for await (const piece of body()) pieces.push(piece)
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size)
}

/** What has its memory for itself is handed over, not copied. */
function transferable(batch: readonly IncomingEnvelope[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  for (const { body } of batch)
    if (body.byteLength === body.buffer.byteLength && body.byteLength > 0) buffers.add(body.buffer as ArrayBuffer)
  return [...buffers]
}
