import type { DatabaseSync } from 'node:sqlite'
import { isCorrupt } from '@hull/common/sqlite-file.ts'
import { findDamage } from './spool-damage.ts'
import { openSibling, siblingsOf } from './spool-file.ts'
import { lossOf, type Discarded } from './drops.ts'
import type { SpoolStore } from './spool-store.ts'
import { openTables, readBody, readLanes, type EnvelopeRow, type Tables } from './spool-tables.ts'

/** Maximum envelopes and bytes to move before other operations get their turn. */
const CHUNK = 200
const CHUNK_BYTES = 4 * 1024 ** 2

interface Moved {
  envelopes: number
  /** Envelopes that could not be read. */
  lost: number
}

export type Adopted = Moved & { path: string }

/**
 * Moves the envelopes of ended processes from their files into this one, a chunk per step. For a moment both files have
 * an envelope: a process that ends at that moment leaves a duplicate, but never loses an envelope. Each step yields the
 * drops of envelopes that could not be read.
 * @param onDamage called with the path of a damaged file, which is closed
 */
export function* adoptOrphans(
  store: SpoolStore,
  file: string,
  own: string,
  onDamage: (path: string) => void
): Generator<Discarded[], Adopted[]> {
  const adopted: Adopted[] = []
  for (const path of siblingsOf(file, own)) {
    let db: DatabaseSync | undefined
    let isDamaged = false
    try {
      db = openSibling(path)
      const moved = yield* moveAll(db, store)
      if (moved.envelopes + moved.lost > 0) adopted.push({ path, ...moved })
    } catch (error) {
      // The error may come from this process's own file. A sibling that is in use or not damaged stays for the next search.
      isDamaged = isCorrupt(error) && (db === undefined || findDamage(db, path, Infinity) !== undefined)
    } finally {
      db?.close()
    }
    if (isDamaged) onDamage(path)
  }
  return adopted
}

function* moveAll(db: DatabaseSync, store: SpoolStore): Generator<Discarded[], Moved> {
  const orphan = openTables(db)
  const all: Moved = { envelopes: 0, lost: 0 }
  for (;;) {
    const { envelopes, lost, discarded } = moveChunk(orphan, db, store)
    if (envelopes + lost === 0) break
    all.envelopes += envelopes
    all.lost += lost
    yield discarded
  }
  moveDrops(orphan, db, store)
  // The file stays, small, for the next process: a path that is removed and created again could be opened in between.
  if (all.envelopes + all.lost > 0) db.exec('VACUUM')
  return all
}

function moveChunk(orphan: Tables, db: DatabaseSync, store: SpoolStore): Moved & { discarded: Discarded[] } {
  const lanes = readLanes(db)
  const moved: number[] = []
  const discarded: Discarded[] = []
  let lost = 0
  let bytes = 0
  store.transact(() => {
    // Newest first, because the new ids descend.
    for (const envelope of orphan.last.all(CHUNK) as unknown as EnvelopeRow[]) {
      if (bytes > CHUNK_BYTES) break
      bytes += envelope.cost
      moved.push(envelope.id)
      const lane = lanes.get(envelope.lane)
      const body = lane && readBody(orphan.row, envelope)
      if (body) {
        store.adoptEnvelope(envelope, lane, body)
        continue
      }
      lost++
      const drops = lane ? lossOf(envelope.meta, lane.lane) : []
      if (lane) store.addDrops(lane.dsn, drops)
      discarded.push(...drops)
    }
  })
  db.exec('BEGIN IMMEDIATE')
  for (const id of moved) {
    orphan.removeEnvelope.run(id)
    orphan.removeRows.run(id)
  }
  db.exec('COMMIT')
  return { envelopes: moved.length - lost, lost, discarded }
}

function moveDrops(orphan: Tables, db: DatabaseSync, store: SpoolStore): void {
  const dsns = (orphan.unreported.all() as { dsn: string }[]).map(({ dsn }) => dsn)
  if (dsns.length === 0) return
  store.transact(() => {
    for (const dsn of dsns) store.addDrops(dsn, orphan.drops.all(dsn) as unknown as Discarded[])
  })
  db.exec('DELETE FROM drops')
}
