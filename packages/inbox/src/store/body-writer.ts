import { randomUUID } from 'node:crypto'
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { BURST_BYTES, BURST_HELD_BYTES, MAX_HELD_BYTES, SpoolUnavailable } from '@hull/monitoring/envelope'
import type { EnvelopeMeta, EnvelopeWriter } from '@hull/monitoring'
import { identityOf, type LargeBody } from './large-body.ts'

/**
 * Total bytes of all large bodies in files. Above it, large bodies are refused, and small ones are not: a dozen senders
 * that never end would otherwise keep out the errors of all. A guess: a dozen of the largest.
 */
const MAX_LARGE = 256 * 1024 ** 2

export interface BodyWriterOptions {
  folder: string
  put: (meta: EnvelopeMeta, body: Uint8Array | LargeBody) => Promise<void>
  /** Resolves when the queue has room again; undefined if it has room now. */
  waitForRoom: () => Promise<void> | undefined
}

/** Creates writers for bodies that arrive in chunks. Each writer uses bounded memory, however large the body is. */
export function createBodyWriters({ folder, put, waitForRoom }: BodyWriterOptions): () => EnvelopeWriter {
  let held = 0
  let large = 0

  return function begin() {
    let pieces: Uint8Array[] = []
    let buffered = 0
    let written = 0
    let file: Promise<FileHandle> | undefined
    /** Settles when all writes to the file so far are done. Writes run one at a time. */
    let writing: Promise<void> = Promise.resolve()
    let ended = false

    /** Moves the buffered chunks to the file. */
    function spill(): Promise<void> {
      const bytes = Buffer.concat(pieces, buffered)
      release()
      written += bytes.length
      large += bytes.length
      const handle = (file ??= openNameless(folder))
      writing = writing.then(async () => {
        await (await handle).writeFile(bytes)
      })
      writing.catch(() => {})
      return writing
    }

    function release(): void {
      held -= buffered
      buffered = 0
      pieces = []
    }

    async function end(): Promise<void> {
      if (ended) return
      ended = true
      release()
      large -= written
      await writing.catch(() => {})
      await (await file?.catch(() => undefined))?.close()
    }

    return {
      write(chunk) {
        if (ended) return undefined
        pieces.push(chunk)
        buffered += chunk.length
        held += chunk.length
        if (buffered <= (held > BURST_BYTES ? BURST_HELD_BYTES : MAX_HELD_BYTES)) return waitForRoom()
        if (large > MAX_LARGE) throw new SpoolUnavailable({ cause: new Error('too many large bodies at once') })
        return spill()
      },
      async commit(meta) {
        if (ended) throw new SpoolUnavailable()
        try {
          if (file === undefined) return await put(meta, Buffer.concat(pieces, buffered))
          await spill()
          const handle = await file
          const identity = identityOf(await handle.stat({ bigint: true }))
          await put(meta, { fd: handle.fd, length: written, identity })
        } finally {
          await end()
        }
      },
      abort() {
        void end()
      }
    }
  }
}

/** Opens a temporary file and unlinks it at once, so that it never remains on the disk. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `inbox.body-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  await unlink(path)
  return handle
}
