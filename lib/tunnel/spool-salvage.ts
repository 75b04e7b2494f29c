import { DatabaseSync } from 'node:sqlite'
import { fromLane } from './categories.ts'
import { toDiscarded, type Discarded } from './spool-messages.ts'
import type { SpoolStore } from './spool-store.ts'
import { rowKey, type EnvelopeRow, type LaneRow } from './spool-tables.ts'
import type { EnvelopeMeta } from './types.ts'

export interface Salvaged {
  /** Envelopes that will be delivered. */
  envelopes: number
  /** Envelopes that are known of, and whose body or header cannot be read. */
  lost: number
}

type Lost = { dsn: string; discarded: Discarded[] }

/**
 * Copies what can still be read of a damaged spool into a new one. What is known of and cannot be read is counted as
 * dropped, and told to its provider.
 * @param path where the damaged file was put
 */
export function salvageSpool(path: string, store: SpoolStore): Salvaged {
  const salvaged: Salvaged = { envelopes: 0, lost: 0 }
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path)
    const prepare = db.prepare.bind(db)
    const lanes = new Map(
      (prepare('SELECT id, dsn, lane FROM lanes').all() as unknown as LaneRow[]).map((lane) => [lane.id, lane])
    )
    const row = prepare('SELECT bytes FROM bodies WHERE id = ?')
    const bodyOf = ({ id, rows, size }: EnvelopeRow): Uint8Array[] | undefined => {
      const parts = Array.from({ length: rows }, (_, seq) => (row.get(rowKey(id, seq)) as { bytes: Uint8Array }).bytes)
      return parts.reduce((sum, { length }) => sum + length, 0) === size ? parts : undefined
    }
    const lost: Lost[] = []
    store.transact(() => {
      for (const envelope of readEnvelopes(db!)) {
        const lane = lanes.get(envelope.lane)
        if (lane === undefined) continue
        const parts = attempt(() => (JSON.parse(envelope.meta), bodyOf(envelope)))
        if (parts === undefined) {
          lost.push({ dsn: lane.dsn, discarded: toDiscarded(countsOf(envelope, lane), 'internal_sdk_error') })
          continue
        }
        const id = store.takeLowestId()
        for (const [seq, bytes] of parts.entries()) store.tables.addRow.run(rowKey(id, seq), bytes)
        const { rows, size, meta, received: receivedAt } = envelope
        store.addEnvelope(id, { dsn: lane.dsn, lane: lane.lane, rows, size, meta, receivedAt })
        salvaged.envelopes++
      }
      for (const { dsn, discarded } of lost) store.addDrops(dsn, discarded)
    })
    salvaged.lost = lost.length
  } catch {
    // Nothing of it can be read, or nothing more written: what was copied is in one transaction.
    return { envelopes: 0, lost: 0 }
  } finally {
    attempt(() => db?.close())
  }
  return salvaged
}

/** From both ends, each as far as it can be read. */
function* readEnvelopes(db: DatabaseSync): Generator<EnvelopeRow> {
  const seen = new Set<number>()
  for (const order of ['ASC', 'DESC']) {
    try {
      const sql = `SELECT id, lane, attempts, rows, size, cost, received, meta FROM envelopes ORDER BY id ${order}`
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

const countsOf = ({ meta }: EnvelopeRow, { lane }: LaneRow): Record<string, number> =>
  attempt(() => (JSON.parse(meta) as EnvelopeMeta).counts) ??
  Object.fromEntries(fromLane(lane).map((name) => [name, 1]))

function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
