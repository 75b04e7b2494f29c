import { statfsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/**
 * Bytes of the disk that the file never grows into; they are for its log and for other programs. As many as the log may
 * keep.
 */
const RESERVE = 16 * 1024 ** 2

/**
 * Bytes for data that is written along with bodies, and for deletions, which also write before they free anything. A
 * guess.
 */
const SLACK = 1024 ** 2

/**
 * Ensures that the disk has space for `bytes` more, and for later deletions. The bytes are written to the log and then
 * to the file, which grows if its free pages do not suffice. If the log filled the disk, it could not be copied into
 * the file any more, and nothing could be deleted.
 * @throws Error if the disk is full
 */
export function makeRoom(db: DatabaseSync, path: string, bytes: number): void {
  if (hasRoom(db, path, bytes)) return
  shrinkLog(db)
  if (!hasRoom(db, path, bytes)) throw new Error('the disk is full')
}

/** Copies the log into the file and frees the log's space. */
export function shrinkLog(db: DatabaseSync): void {
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function hasRoom(db: DatabaseSync, path: string, bytes: number): boolean {
  const { blocks, bavail, bsize } = statfsSync(path)
  // The filesystem does not report its size.
  if (blocks === 0) return true
  const room = bavail * bsize
  if (room >= 2 * (RESERVE + bytes)) return true
  const pageSize = read(db, 'page_size')
  const ahead = Math.max(0, read(db, 'page_count') * pageSize - statSync(path).size)
  const growth = ahead + Math.max(0, bytes - read(db, 'freelist_count') * pageSize)
  return room >= bytes + (growth > 0 ? growth + RESERVE : SLACK)
}

const read = (db: DatabaseSync, name: string): number => Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0] as number
