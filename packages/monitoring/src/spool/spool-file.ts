import { existsSync, mkdirSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateFile, isBusy, isCorrupt } from '@hull/common/sqlite-file.ts'
import { putCorruptAside } from './corrupt-files.ts'

/** Maximum processes in one folder, each with its own file. A rolling restart has two. */
const MAX_FILES = 16

/** Maximum bytes of the write-ahead log after its content was copied into the file. */
const WAL_BYTES = 16 * 1024 ** 2

/** Version of the tables. A file with a later version is refused. */
const VERSION = 1

export interface SpoolFile {
  db: DatabaseSync
  path: string
  /** New path of a damaged file that was renamed. */
  corrupt?: string
}

/** `spool.db`, `spool.2.db`, … */
function pathOf(file: string, number: number): string {
  const extension = extname(file)
  return number === 1 ? file : `${file.slice(0, file.length - extension.length)}.${number}${extension}`
}

/**
 * Opens the first file that no other process has open, and locks it until this process ends, in whatever way: the
 * kernel holds SQLite's exclusive lock. Renames a file that is not a database.
 * @param ready creates the tables; may also throw for a damaged file
 * @throws Error if the folder is not writable, or every file is locked
 */
export function openSpoolFile<T>(file: string, ready: (db: DatabaseSync) => T): SpoolFile & { opened: T } {
  mkdirSync(dirname(file), { recursive: true })
  for (let number = 1; number <= MAX_FILES; number++) {
    const path = pathOf(file, number)
    try {
      return { ...openExclusively(path, ready), path }
    } catch (error) {
      if (isBusy(error)) continue
      if (!isCorrupt(error)) throw error
      const corrupt = putCorruptAside(path)
      return { ...openExclusively(path, ready), path, corrupt }
    }
  }
  throw new Error(`${MAX_FILES} other processes have ${file} and its siblings`)
}

/** Returns the existing siblings of a file, except for this process's own. */
export function* siblingsOf(file: string, own: string): Generator<string> {
  for (let number = 1; number <= MAX_FILES; number++) {
    const path = pathOf(file, number)
    if (path !== own && existsSync(path)) yield path
  }
}

/** @throws Error if another process has the file open, or if it cannot be read */
export const openSibling = (path: string): DatabaseSync => openExclusively(path, () => {}).db

function openExclusively<T>(path: string, ready: (db: DatabaseSync) => T): { db: DatabaseSync; opened: T } {
  ensurePrivateFile(path)
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    // Two typical bodies of 2 KiB do not fit into a page of 4 KiB. Measured: larger pages are also faster, by a
    // quarter.
    db.exec('PRAGMA page_size = 8192')
    // The order matters: in exclusive mode the log needs no shared memory, and the first read takes the lock.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > VERSION)
      throw new Error(
        `${path} was written by a newer version of Hull: use that version, or move the file away to start a new spool`
      )
    if (version < VERSION) db.exec(`PRAGMA user_version = ${VERSION}`)
    return { db, opened: ready(db) }
  } catch (error) {
    db.close()
    throw error
  }
}
