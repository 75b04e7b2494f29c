import { statfsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Bytes of the disk that the file never grows into: its log has them, or who else is on the disk. As much as the log may keep. */
const RESERVE = 16 * 1024 ** 2

/** Bytes for what is written beside the bodies, and for deletions: they too are written before they free anything. A guess. */
const SLACK = 1024 ** 2

/**
 * Sees to it that the disk has room for `bytes` more, and for what makes room again afterwards. They are written to the
 * log, and then to the file, which has to grow by what its free pages do not take: a log that filled the disk could not
 * be taken over into the file any more, and nothing in it be deleted.
 * @throws Error when there is none
 */
export function makeRoom(db: DatabaseSync, path: string, bytes: number): void {
  if (hasRoom(db, path, bytes)) return
  shrinkLog(db)
  if (!hasRoom(db, path, bytes)) throw new Error('the disk is full')
}

/** Takes the log over into the file, and gives its room back. */
export function shrinkLog(db: DatabaseSync): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function hasRoom(db: DatabaseSync, path: string, bytes: number): boolean {
  const { blocks, bavail, bsize } = statfsSync(path)
  // A filesystem that does not tell.
  if (blocks === 0) return true
  const room = bavail * bsize
  if (room >= 2 * (RESERVE + bytes)) return true
  const pageSize = read(db, 'page_size')
  const ahead = Math.max(0, read(db, 'page_count') * pageSize - statSync(path).size)
  const growth = ahead + Math.max(0, bytes - read(db, 'freelist_count') * pageSize)
  return room >= bytes + (growth > 0 ? growth + RESERVE : SLACK)
}

const read = (db: DatabaseSync, name: string): number => Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0] as number
