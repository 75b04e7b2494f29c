import type { DatabaseSync } from 'node:sqlite'
import { openOrphans } from './spool-file.ts'
import type { Discarded } from './spool-messages.ts'
import type { SpoolStore } from './spool-store.ts'
import { openTables, rowKey, type EnvelopeRow, type LaneRow, type Tables } from './spool-tables.ts'

/** Maximum envelopes and bytes to move before other operations get their turn. */
const CHUNK = 200
const CHUNK_BYTES = 4 * 1024 ** 2

export interface Adopted {
  path: string
  envelopes: number
}

/**
 * Moves the envelopes of ended processes from their files into this one, a chunk per step. For a moment both files have
 * an envelope: a process that ends at that moment leaves a duplicate, but never loses an envelope.
 */
export function* adoptOrphans(store: SpoolStore, file: string, own: string): Generator<undefined, Adopted[]> {
  const adopted: Adopted[] = []
  for (const { db, path } of openOrphans(file, own)) {
    const orphan = openTables(db)
    let envelopes = 0
    for (let moved = -1; moved !== 0; envelopes += moved) {
      if (moved > 0) yield
      moved = moveChunk(orphan, db, store)
    }
    moveDrops(orphan, db, store)
    // The file stays, small, for the next process: a path that is removed and created again could be opened in between.
    if (envelopes > 0) {
      db.exec('VACUUM')
      adopted.push({ path, envelopes })
    }
  }
  return adopted
}

function moveChunk(orphan: Tables, db: DatabaseSync, store: SpoolStore): number {
  const lanes = new Map((orphan.lanes.all() as unknown as LaneRow[]).map((lane) => [lane.id, lane]))
  const moved: number[] = []
  let bytes = 0
  store.transact(() => {
    // Newest first, because the new ids descend.
    for (const envelope of orphan.last.all(CHUNK) as unknown as EnvelopeRow[]) {
      if (bytes > CHUNK_BYTES) break
      bytes += envelope.cost
      moved.push(envelope.id)
      copyEnvelope(orphan, envelope, lanes.get(envelope.lane)!, store)
    }
  })
  db.exec('BEGIN IMMEDIATE')
  for (const id of moved) {
    orphan.removeEnvelope.run(id)
    orphan.removeRows.run(id)
  }
  db.exec('COMMIT')
  return moved.length
}

function copyEnvelope(orphan: Tables, envelope: EnvelopeRow, { dsn, lane }: LaneRow, store: SpoolStore): void {
  const id = store.takeLowestId()
  for (let seq = 0; seq < envelope.rows; seq++) {
    const { bytes } = orphan.row.get(rowKey(envelope.id, seq)) as { bytes: Uint8Array }
    store.tables.addRow.run(rowKey(id, seq), bytes)
  }
  const { rows, size, meta, received: receivedAt } = envelope
  store.addEnvelope(id, { dsn, lane, rows, size, meta, receivedAt })
}

function moveDrops(orphan: Tables, db: DatabaseSync, store: SpoolStore): void {
  const dsns = (orphan.unreported.all() as { dsn: string }[]).map(({ dsn }) => dsn)
  if (dsns.length === 0) return
  store.transact(() => {
    for (const dsn of dsns) store.addDrops(dsn, orphan.drops.all(dsn) as unknown as Discarded[])
  })
  db.exec('DELETE FROM drops')
}
