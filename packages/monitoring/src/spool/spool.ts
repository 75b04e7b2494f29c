import { EnvelopeGone, yieldOnce, type SpooledEnvelope } from '../delivery/deliverer.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { Blocked } from '../delivery/rate-limits.ts'
import { SpoolClient } from './spool-client.ts'
import type { Discarded, DropReason } from './drops.ts'
import { parseMeta, type SpoolState, type TakeAnswer, type TakeQuestion } from './spool-messages.ts'
import { createWriters } from './spool-writer.ts'
import type { EnvelopeWriter } from '../delivery/envelope-sink.ts'

export interface SpoolOptions {
  /**
   * SQLite file; its folder is created. If another process has the file open, a sibling is used (`spool.2.db`).
   * Envelopes in siblings of ended processes are taken over.
   */
  file: string
  /** Maximum bytes of envelopes, above which the oldest ones of the lowest rank are dropped. */
  maxBytes: number
  /**
   * Maximum bytes of the file, whose pages are not all full. Above it, nothing is accepted.
   * @default twice `maxBytes`, and 4 MiB
   */
  maxFileBytes?: number
  /** Milliseconds between checks of the file for damage. @default 30_000 */
  checkInterval?: number
  log: Log
  /**
   * Called when envelopes arrived, were removed or were dropped. `arrived`: DSNs with new envelopes; undefined if any
   * DSN may have some.
   */
  onChange?: (discarded: readonly Discarded[], arrived?: ReadonlySet<string>) => void
}

export type LeasedEnvelope = SpooledEnvelope & { lane: string }

/** Records the result of an attempt to deliver an envelope. */
export interface AttemptResults {
  delivered: (id: number) => void
  drop: (id: number, reason: DropReason) => void
  /** Postpones the next attempt until `due`, in milliseconds since the epoch. */
  setAside: (id: number, due: number) => void
}

/** Envelopes on disk for delivery to providers. Survives the end of the process at any moment. */
export interface Spool extends AttemptResults {
  begin: () => EnvelopeWriter
  /** Whether new envelopes are accepted. */
  readonly available: boolean
  readonly state: SpoolState
  /** Whether the thread has reported the envelopes of an earlier process, which {@link state} then includes. */
  readonly isLoaded: boolean
  /** Many envelopes arrive at once and there is space for them, so deliveries can wait. */
  readonly inBurst: boolean
  /** Returns the next envelopes for a provider. @throws SpoolUnavailable */
  take: (query: Omit<TakeQuestion, 'ask'>) => Promise<{ envelopes: LeasedEnvelope[]; nextDue?: number }>
  /** Makes all envelopes of the DSN due that were set aside. */
  release: (dsn: string) => void
  /** Drops envelopes that were received before `before`. */
  expire: (before: number, reasons: Record<string, { blocked: Blocked; otherwise: DropReason }>) => void
  /** Counts drops of envelopes that were never in the spool. */
  countDrops: (dsn: string, discarded: readonly Discarded[]) => void
  /** Returns drops that were not reported to the provider yet. @throws SpoolUnavailable */
  drops: (dsn: string) => Promise<Discarded[]>
  reported: (dsn: string, discarded: readonly Discarded[]) => void
  /** Resolves when all earlier operations are on disk, or cannot be written. */
  settled: () => Promise<void>
  close: () => Promise<void>
}

/** Minimum envelopes in one commit that count as a burst. A guess. */
const BURST_ENVELOPES = 8

/** Share of the spool that a burst may fill before deliveries stop waiting for it. A guess. */
const BURST_SHARE = 0.25

const EMPTY: SpoolState = { bytes: 0, envelopes: 0, waiting: {}, unreported: [], moreExpired: false }

/** Opens the spool in its own thread. Never throws: envelopes that cannot be written are refused as they arrive. */
export function openSpool({ file, maxBytes, maxFileBytes, checkInterval, log, onChange }: SpoolOptions): Spool {
  let state = EMPTY
  const firstId = Date.now()
  const client = new SpoolClient({
    file,
    maxBytes,
    firstId,
    checkInterval,
    maxFileBytes: maxFileBytes ?? 2 * maxBytes + 4 * 1024 ** 2,
    log,
    onState(now, discarded, arrived) {
      state = now
      onChange?.(discarded, arrived)
    }
  })
  // Makes the worker report the envelopes of an earlier process.
  client.push({ op: 'release', dsn: '' })

  async function* readRows(id: number, rows: number): AsyncGenerator<Uint8Array> {
    for (let seq = 0; seq < rows; seq++) {
      const bytes = await client.ask<'row'>({ ask: 'row', id, seq })
      if (bytes === undefined) throw new EnvelopeGone()
      yield bytes
    }
  }

  /** Returns no envelope if the metadata is damaged, and drops it. */
  function toEnvelopes(stored: TakeAnswer['envelopes'][number]): LeasedEnvelope[] {
    const { id, lane, attempts, size, rows, bytes } = stored
    const meta = parseMeta(stored.meta)
    if (meta === undefined) {
      client.push({ op: 'drop', id, reason: 'internal_sdk_error' })
      return []
    }
    const body = () => (bytes === undefined ? readRows(id, rows) : yieldOnce(bytes))
    return [{ id, lane, attempts, size, meta, body, ...(bytes && { bytes }) }]
  }

  return {
    begin: createWriters(client, firstId),
    get available() {
      return client.available
    },
    get state() {
      return state
    },
    get isLoaded() {
      return state !== EMPTY
    },
    get inBurst() {
      return client.burstSize >= BURST_ENVELOPES && state.bytes < maxBytes * BURST_SHARE
    },
    async take(query) {
      for (;;) {
        const exclude = [...query.exclude, ...client.heldBack(query.now, query.evenEarly)]
        const { envelopes: stored, ...rest } = await client.ask<'take'>({ ask: 'take', ...query, exclude })
        const envelopes = stored.flatMap(toEnvelopes)
        // Fewer envelopes than `count` mean that there are no more. Those just dropped are held back from now on.
        if (envelopes.length === stored.length) return { envelopes, ...rest }
      }
    },
    delivered: (id) => client.push({ op: 'delivered', id }),
    drop: (id, reason) => client.push({ op: 'drop', id, reason }),
    setAside: (id, due) => client.push({ op: 'set-aside', id, due: Math.ceil(due) }),
    release: (dsn) => client.push({ op: 'release', dsn }),
    expire: (before, reasons) => client.push({ op: 'expire', before, reasons }),
    countDrops: (dsn, discarded) => client.push({ op: 'count-drops', dsn, discarded }),
    drops: (dsn) => client.ask<'drops'>({ ask: 'drops', dsn }),
    reported: (dsn, discarded) => client.push({ op: 'reported', dsn, discarded }),
    settled: () => client.settled(),
    close: () => client.close()
  }
}
