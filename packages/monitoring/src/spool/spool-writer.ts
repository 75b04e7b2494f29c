import { randomBytes } from 'node:crypto'
import { SpoolUnavailable } from '../errors.ts'
import { BURST_BYTES, BURST_HELD_BYTES, MAX_HELD_BYTES } from '../envelope/limits.ts'
import { toLane } from '../envelope/categories.ts'
import type { SpoolClient } from './spool-client.ts'
import { SHARED } from './batch-codec.ts'
import { ROWS_PER_ENVELOPE } from './spool-messages.ts'
import type { EnvelopeMeta, EnvelopeWriter } from '../delivery/envelope-sink.ts'

/** Creates writers that share a client and a count of buffered bytes. */
export function createWriters(client: SpoolClient, firstId: number): () => EnvelopeWriter {
  // Makes keys unique, because another process may take over the spool with the same ids.
  const origin = randomBytes(4).toString('hex')
  let lastId = firstId - 1
  let held = 0

  return function begin() {
    const id = (lastId = Math.max(Date.now(), lastId + 1))
    let chunks: Uint8Array[] = []
    let buffered = 0
    let size = 0
    let rows = 0
    let ended = false

    /** Copies the first `length` buffered bytes into their own buffer, which is transferred to the worker. */
    function take(length: number): Uint8Array<ArrayBuffer> {
      const bytes = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const chunk = chunks[0]!
        const part = chunk.subarray(0, length - filled)
        bytes.set(part, filled)
        filled += part.length
        if (part.length === chunk.length) chunks.shift()
        else chunks[0] = chunk.subarray(part.length)
      }
      buffered -= length
      held -= length
      return bytes
    }

    /** Returns the buffered rest of a body, or a small body as a whole; undefined if nothing is buffered. */
    function takeLast(): Uint8Array<ArrayBuffer> | undefined {
      if (buffered === 0) return undefined
      // Copied on its way to the worker.
      if (chunks.length === 1 && buffered <= SHARED) return chunks[0] as Uint8Array<ArrayBuffer>
      return take(buffered)
    }

    function flushRow(length: number) {
      const bytes = take(length)
      if (rows < ROWS_PER_ENVELOPE) client.push({ op: 'row', id, seq: rows, bytes })
      rows++
    }

    function end() {
      ended = true
      held -= buffered
      buffered = 0
      chunks = []
    }

    return {
      write(chunk) {
        if (ended || chunk.length === 0) return undefined
        chunks.push(chunk)
        buffered += chunk.length
        held += chunk.length
        size += chunk.length
        for (let row; buffered >= (row = held > BURST_BYTES ? BURST_HELD_BYTES : MAX_HELD_BYTES);) flushRow(row)
        return client.room()
      },
      async commit(meta) {
        if (ended) throw new SpoolUnavailable()
        if (rows > 0 && buffered > 0) flushRow(buffered)
        if (rows > ROWS_PER_ENVELOPE) {
          this.abort()
          throw new SpoolUnavailable({ cause: new Error(`more than ${ROWS_PER_ENVELOPE} rows`) })
        }
        const bytes = takeLast()
        end()
        await client.put({
          ...toPut({ key: `${origin}-${id.toString(36)}`, ...meta }),
          id,
          size,
          rows: bytes === undefined ? rows : 1,
          ...(bytes && { bytes })
        })
      },
      abort() {
        if (ended) return
        end()
        if (rows > 0) client.push({ op: 'abort', id })
      }
    }
  }
}

function toPut(meta: EnvelopeMeta) {
  const { dsn, receivedAt, counts } = meta
  return { dsn, lane: toLane(counts), receivedAt: Math.trunc(receivedAt), meta: JSON.stringify(meta) }
}
