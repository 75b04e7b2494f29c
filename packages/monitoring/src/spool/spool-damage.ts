import { openSync, readSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isCorrupt } from '@hull/common/sqlite-file.ts'

/** First bytes of every SQLite file (sqlite.org/fileformat.html §1.3). */
const SQLITE_HEADER = 'SQLite format 3\0'

/** Maximum bytes of a file that each check reads as a whole, at half a millisecond per MiB. Measured. */
const SMALL_FILE = 128 * 1024 ** 2

/**
 * Checks an open spool. Of a file above `maxBytes`, only the start is read.
 * @returns description of the damage; undefined if there is none, or if the file cannot be read at the moment
 */
export function findDamage(db: DatabaseSync, path: string, maxBytes = SMALL_FILE): string | undefined {
  try {
    // SQLite has the first page in memory and would not read it from the file.
    if (!startsAsDatabase(db, path)) return 'its first page is damaged'
    if (statSync(path).size > maxBytes) return undefined
    db.exec('PRAGMA shrink_memory')
    const [found] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    return found?.quick_check === 'ok' ? undefined : (found?.quick_check ?? 'damaged')
  } catch (error) {
    return isCorrupt(error) ? (error as Error).message : undefined
  }
}

/**
 * Handles of checked files, which stay open until their thread ends: a process that closes any handle of a file gives up
 * all its locks of the file (sqlite.org/howtocorrupt.html §2.2), and another process would open the spool.
 */
const handles = new WeakMap<DatabaseSync, number>()

function startsAsDatabase(db: DatabaseSync, path: string): boolean {
  const handle = handles.get(db) ?? openSync(path, 'r')
  handles.set(db, handle)
  const start = Buffer.alloc(SQLITE_HEADER.length)
  readSync(handle, start, 0, start.length, 0)
  return start.toString('latin1') === SQLITE_HEADER
}
