import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isCorrupt } from '@hull/common/sqlite-file.ts'

/** How every file of SQLite begins (sqlite.org/fileformat.html §1.3). */
const SQLITE_HEADER = 'SQLite format 3\0'

/** Bytes of a file that is read as a whole at each look: half a millisecond for each of its MiB. Measured. */
const SMALL_FILE = 128 * 1024 ** 2

/**
 * Looks at a spool that is open. Of a large one only the beginning is read.
 * @returns what is wrong with it; undefined when nothing is, or when it cannot be read at the moment
 */
export function findDamage(db: DatabaseSync, path: string): string | undefined {
  try {
    // The first page stays in memory: a check would not read it from the file.
    if (!startsAsDatabase(path)) return 'its first page is damaged'
    if (statSync(path).size > SMALL_FILE) return undefined
    db.exec('PRAGMA shrink_memory')
    const [found] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
    return found?.quick_check === 'ok' ? undefined : (found?.quick_check ?? 'damaged')
  } catch (error) {
    return isCorrupt(error) ? (error as Error).message : undefined
  }
}

function startsAsDatabase(path: string): boolean {
  const handle = openSync(path, 'r')
  try {
    const start = Buffer.alloc(SQLITE_HEADER.length)
    readSync(handle, start, 0, start.length, 0)
    return start.toString('latin1') === SQLITE_HEADER
  } finally {
    closeSync(handle)
  }
}
