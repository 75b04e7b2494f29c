import { DatabaseSync } from 'node:sqlite'
import { attempt } from '@hull/common/attempt.ts'
import { lossOf, toLost, type Discarded } from './drops.ts'
import { parseMeta } from './spool-messages.ts'
import type { SpoolStore } from './spool-store.ts'
import { ENVELOPE_COLUMNS, readBody, readLanes, type EnvelopeRow, type LaneRow } from './spool-tables.ts'

export interface Salvaged {
  /** Envelopes that will be delivered. */
  envelopes: number
  /** Envelopes whose body or metadata cannot be read, and envelopes that are missing. */
  lost: number
}

/** Number of envelopes in a lane. */
export interface LaneCount {
  dsn: string
  lane: string
  count: number
}

interface Lost {
  dsn: string
  envelopes: number
  discarded: Discarded[]
}

/**
 * Copies the readable envelopes of a damaged or removed spool into a new one. Other envelopes are counted as dropped
 * and reported to their provider.
 * @param source path of the damaged file, or the handle of the removed one
 * @param known number of envelopes per lane, as this process last knew it; without it, envelopes whose rows cannot be
 * found are not counted
 */
export function salvageSpool(
  source: string | DatabaseSync,
  store: SpoolStore,
  known: readonly LaneCount[] = []
): Salvaged & { discarded: Discarded[] } {
  const found = new LaneCounts()
  const unread: Lost[] = []
  let envelopes = 0
  let db: DatabaseSync | undefined
  try {
    db = typeof source === 'string' ? new DatabaseSync(source) : source
    envelopes = copyEnvelopes(db, store, found, unread)
  } catch {
    // Nothing can be read, or nothing more can be written. The copy is one transaction, which was rolled back.
    found.clear()
    unread.length = 0
  } finally {
    if (typeof source === 'string') attempt(() => db?.close())
  }
  const lost = [...unread, ...found.missing(known)]
  attempt(() => {
    store.transact(() => {
      for (const { dsn, discarded } of lost) store.addDrops(dsn, discarded)
    })
  })
  return {
    envelopes,
    lost: lost.reduce((sum, { envelopes }) => sum + envelopes, 0),
    discarded: lost.flatMap(({ discarded }) => discarded)
  }
}

/** Counts the envelopes that were found in each lane. */
class LaneCounts {
  readonly #counts = new Map<string, number>()

  add({ dsn, lane }: LaneRow): void {
    const key = `${lane} ${dsn}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  clear(): void {
    this.#counts.clear()
  }

  /** Returns known envelopes that were not found. */
  missing(known: readonly LaneCount[]): Lost[] {
    return known.flatMap(({ dsn, lane, count }) => {
      const envelopes = count - (this.#counts.get(`${lane} ${dsn}`) ?? 0)
      if (envelopes <= 0) return []
      return { dsn, envelopes, discarded: toLost(lane, envelopes) }
    })
  }
}

/** @returns number of copied envelopes */
function copyEnvelopes(db: DatabaseSync, store: SpoolStore, found: LaneCounts, lost: Lost[]): number {
  let copied = 0
  const lanes = readLanes(db)
  const row = db.prepare('SELECT bytes FROM bodies WHERE id = ?')
  store.transact(() => {
    for (const envelope of readEnvelopes(db)) {
      const lane = lanes.get(envelope.lane)
      if (lane === undefined) continue
      found.add(lane)
      const parts = parseMeta(envelope.meta) && attempt(() => readBody(row, envelope))
      if (parts === undefined) {
        lost.push({ dsn: lane.dsn, envelopes: 1, discarded: lossOf(envelope.meta, lane.lane) })
        continue
      }
      store.adoptEnvelope(envelope, lane, parts)
      copied++
    }
  })
  return copied
}

/** Reads from both ends, each as far as possible. Newest first, because the new ids descend. */
function* readEnvelopes(db: DatabaseSync): Generator<EnvelopeRow> {
  const seen = new Set<number>()
  yield* readFrom('DESC')
  yield* [...readFrom('ASC')].toReversed()

  function* readFrom(order: 'ASC' | 'DESC'): Generator<EnvelopeRow> {
    try {
      const sql = `SELECT ${ENVELOPE_COLUMNS} FROM envelopes ORDER BY id ${order}`
      for (const row of db.prepare(sql).iterate() as Iterable<unknown> as Iterable<EnvelopeRow>) {
        if (seen.has(row.id)) break
        seen.add(row.id)
        yield row
      }
    } catch {
      // The next page is damaged.
    }
  }
}
