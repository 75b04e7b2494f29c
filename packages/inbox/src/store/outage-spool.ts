import { existsSync, read } from 'node:fs'
import { promisify } from 'node:util'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { EnvelopeMeta } from '@hull/monitoring'
import { createLazyTunnel, openTunnel } from '@hull/monitoring/delivery'
import { INBOX_DSN } from '../addresses.ts'
import { InboxKeyUnknown } from '../errors.ts'
import { toDeliverer } from '../receiver.ts'
import type { LargeBody } from './large-body.ts'
import { OutageMemory } from './outage-memory.ts'
import type { InboxSink } from './sink.ts'

/** Bytes that are read at once from the file of a large body. */
const PIECE = 256 * 1024

const readFd = promisify(read)

export interface OutageSpoolOptions {
  /** SQLite file. */
  file: string
  /** Maximum bytes of waiting envelopes. */
  maxBytes: number
  /** Milliseconds after which an envelope that cannot be stored is dropped. */
  maxAge: number
  log: Log
  /** Stores envelopes in the database. */
  sink: Pick<InboxSink, 'accept'>
}

/** Envelopes that wait until the database can be reached: on disk, or in memory if the disk cannot be written. */
export interface OutageSpool {
  /**
   * Keeps an envelope. Sets `isInMemory` of its metadata if it would not survive the end of the process.
   * @throws SpoolUnavailable
   */
  keep: (meta: EnvelopeMeta, body: Uint8Array | LargeBody) => Promise<void>
  /** Delivers from now on, or waits from now on. */
  setAvailable: (isAvailable: boolean) => void
  /** `oldestAge` in milliseconds. */
  waiting: () => { envelopes: number; bytes: number; oldestAge: number }
  close: () => Promise<void>
}

/** Opens the spool. Its file is opened if it exists, or with the first envelope. */
export function openOutageSpool({ file, maxBytes, maxAge, log, sink }: OutageSpoolOptions): OutageSpool {
  let isAvailable = false
  let available = Promise.withResolvers<void>()
  const deliverer = toDeliverer(sink)
  const tunnel = createLazyTunnel(() =>
    openTunnel({
      file,
      maxBytes,
      maxAge,
      log,
      providers: [
        {
          dsn: INBOX_DSN,
          deliverer: {
            // Waiting is no failure, after which the tunnel would pause longer and longer.
            async deliver(envelope, signal) {
              await available.promise
              return deliverer.deliver(envelope, signal)
            }
          }
        }
      ]
    })
  )
  if (existsSync(file)) tunnel.open()

  const memory = new OutageMemory({
    file,
    log,
    store: ({ meta, body }) => (isAvailable ? store(meta, body) : spool(meta, body))
  })

  /** Stores an envelope, or writes it to the disk if the database refuses it. */
  async function store(meta: EnvelopeMeta, body: Uint8Array): Promise<void> {
    try {
      await sink.accept({ meta, body })
    } catch (error) {
      // The project was removed meanwhile.
      if (!(error instanceof InboxKeyUnknown)) await spool(meta, body)
    }
  }

  async function spool(meta: EnvelopeMeta, body: Uint8Array | LargeBody): Promise<void> {
    if (body instanceof Uint8Array) return tunnel.accept({ meta, body })
    const writer = tunnel.begin()
    try {
      for (let at = 0; at < body.length;) {
        const piece = Buffer.alloc(Math.min(PIECE, body.length - at))
        const { bytesRead } = await readFd(body.fd, piece, 0, piece.length, at)
        if (bytesRead === 0) throw new Error('the body of an envelope is cut short')
        await writer.write(piece.subarray(0, bytesRead))
        at += bytesRead
      }
      await writer.commit(meta)
    } catch (error) {
      writer.abort()
      throw error
    }
  }

  async function keep(meta: EnvelopeMeta, body: Uint8Array | LargeBody): Promise<void> {
    try {
      await spool(meta, body)
    } catch (error) {
      if (!(body instanceof Uint8Array)) throw error
      memory.hold({ meta, body }, error as Error)
    }
  }

  return {
    keep,
    setAvailable(now) {
      if (now === isAvailable) return
      isAvailable = now
      if (!now) {
        available = Promise.withResolvers()
        return
      }
      available.resolve()
      memory.move()
    },
    waiting() {
      const [onDisk, inMemory] = [tunnel.stats(), memory.waiting]
      return {
        envelopes: onDisk.envelopes + inMemory.envelopes,
        bytes: onDisk.bytes + inMemory.bytes,
        oldestAge: Math.max(onDisk.oldestAge, inMemory.oldestAge)
      }
    },
    async close() {
      const closed = tunnel.close()
      // Deliveries that wait end, because they are aborted.
      available.resolve()
      await closed
      await memory.close()
    }
  }
}
