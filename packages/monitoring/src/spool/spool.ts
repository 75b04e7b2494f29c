import { EnvelopeGone, yieldOnce, type SpooledEnvelope } from '../delivery/deliverer.ts'
import type { Log } from '@hull/common/worker-rpc.ts'
import type { Blocked } from '../delivery/rate-limits.ts'
import { SpoolClient } from './spool-client.ts'
import type { Discarded, DropReason, SpoolState, TakeAnswer, TakeQuestion } from './spool-messages.ts'
import { createWriters } from './spool-writer.ts'
import type { EnvelopeWriter } from '../delivery/types.ts'

export interface SpoolOptions {
  /**
   * SQLite file; its folder is created. Where another process has it, a sibling is taken (`spool.2.db`), and what a
   * process that is gone left in one is taken over.
   */
  file: string
  /** Bytes of envelopes, above which the oldest of the bulkiest are dropped. */
  maxBytes: number
  /** Bytes of the file: its pages are not all full. Above it nothing is accepted. @default twice `maxBytes`, and 4 MiB */
  maxFileBytes?: number
  /** Milliseconds between two looks at whether the file is damaged. @default 30_000 */
  lookInterval?: number
  log: Log
  /** Something arrived, went, or was dropped. `arrived`: DSNs that have something new; undefined when it may be any. */
  onChange?: (discarded: readonly Discarded[], arrived?: ReadonlySet<string>) => void
}

export type Taken = SpooledEnvelope & { lane: string }

/** What becomes of an envelope that an attempt was made to deliver. */
export interface Fate {
  delivered: (id: number) => void
  drop: (id: number, reason: DropReason) => void
  /** Another attempt not before `due`, milliseconds since the epoch. */
  setAside: (id: number, due: number) => void
}

/** Envelopes on disk, on their way to providers. Survives the end of the process at any moment. */
export interface Spool extends Fate {
  begin: () => EnvelopeWriter
  /** Whether what comes now is accepted. */
  readonly available: boolean
  readonly state: SpoolState
  /** Many envelopes come at once, and there is room for them: deliveries can wait. */
  readonly crowded: boolean
  /** The next envelopes for a provider. @throws SpoolUnavailable */
  take: (query: Omit<TakeQuestion, 'ask'>) => Promise<{ envelopes: Taken[]; nextDue?: number }>
  /** What was set aside for this DSN is due. */
  release: (dsn: string) => void
  /** Drops what was received before `before`. */
  expire: (before: number, reasons: Record<string, { blocked: Blocked; otherwise: DropReason }>) => void
  /** Counts as dropped what was never in the spool. */
  lost: (dsn: string, discarded: readonly Discarded[]) => void
  /** Drops that the provider has not been told of. @throws SpoolUnavailable */
  drops: (dsn: string) => Promise<Discarded[]>
  reported: (dsn: string, discarded: readonly Discarded[]) => void
  /** Resolves when everything said so far is on disk, or cannot be. */
  settled: () => Promise<void>
  close: () => Promise<void>
}

/** Envelopes in one commit from which on they count as a burst. A guess. */
const BURST_ENVELOPES = 8

/** Share of the spool that a burst may fill before deliveries no longer stand back for it. A guess. */
const BURST_SHARE = 0.25

const EMPTY: SpoolState = { bytes: 0, envelopes: 0, waiting: {}, unreported: [], moreExpired: false }

/** Opens the spool in a thread of its own. Never throws: what cannot be written is refused as it comes. */
export function openSpool({ file, maxBytes, maxFileBytes, lookInterval, log, onChange }: SpoolOptions): Spool {
  let state = EMPTY
  const firstId = Date.now()
  const client = new SpoolClient({
    file,
    maxBytes,
    firstId,
    lookInterval,
    maxFileBytes: maxFileBytes ?? 2 * maxBytes + 4 * 1024 ** 2,
    log,
    onState(now, discarded, arrived) {
      state = now
      onChange?.(discarded, arrived)
    }
  })
  // Tells what an earlier process left.
  client.push({ op: 'release', dsn: '' })

  async function* readRows(id: number, rows: number): AsyncGenerator<Uint8Array> {
    for (let seq = 0; seq < rows; seq++) {
      const bytes = await client.ask<'row'>({ ask: 'row', id, seq })
      if (bytes === undefined) throw new EnvelopeGone()
      yield bytes
    }
  }

  function toEnvelope({ id, lane, attempts, size, rows, meta, bytes }: TakeAnswer['envelopes'][number]): Taken {
    return {
      id,
      lane,
      attempts,
      size,
      meta: JSON.parse(meta),
      body: () => (bytes === undefined ? readRows(id, rows) : yieldOnce(bytes)),
      ...(bytes && { bytes })
    }
  }

  return {
    begin: createWriters(client, firstId),
    get available() {
      return client.available
    },
    get state() {
      return state
    },
    get crowded() {
      return client.crowd >= BURST_ENVELOPES && state.bytes < maxBytes * BURST_SHARE
    },
    async take(query) {
      const exclude = [...query.exclude, ...client.heldBack(query.now, query.evenEarly)]
      const { envelopes, ...rest } = await client.ask<'take'>({ ask: 'take', ...query, exclude })
      return { envelopes: envelopes.map(toEnvelope), ...rest }
    },
    delivered: (id) => client.push({ op: 'delivered', id }),
    drop: (id, reason) => client.push({ op: 'drop', id, reason }),
    setAside: (id, due) => client.push({ op: 'set-aside', id, due: Math.ceil(due) }),
    release: (dsn) => client.push({ op: 'release', dsn }),
    expire: (before, reasons) => client.push({ op: 'expire', before, reasons }),
    lost: (dsn, discarded) => client.push({ op: 'lost', dsn, discarded }),
    drops: (dsn) => client.ask<'drops'>({ ask: 'drops', dsn }),
    reported: (dsn, discarded) => client.push({ op: 'reported', dsn, discarded }),
    settled: () => client.settled(),
    close: () => client.close()
  }
}
