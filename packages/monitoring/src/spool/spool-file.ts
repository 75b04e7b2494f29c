import { existsSync, mkdirSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ensurePrivateFile, isBusy, isCorrupt } from '@hull/common/sqlite-file.ts'
import { putCorruptAside } from './corrupt-files.ts'

/** Processes on one folder, each with a file of its own: a rolling restart has two. */
const MAX_FILES = 16

/** Bytes to which the log beside the file shrinks once it has been taken over. */
const WAL_BYTES = 16 * 1024 ** 2

/** Of the tables: a file of a later one is refused. */
const VERSION = 1

export interface SpoolFile {
  db: DatabaseSync
  path: string
  /** Where what could not be read was put. */
  corrupt?: string
}

/** `spool.db`, `spool.2.db`, … */
function pathOf(file: string, number: number): string {
  const extension = extname(file)
  return number === 1 ? file : `${file.slice(0, file.length - extension.length)}.${number}${extension}`
}

/**
 * Opens the first file that no other process has, and keeps the others out until this process ends, however it ends:
 * SQLite's exclusive lock is the kernel's. A file that is no database is put aside under a new name.
 * @param ready makes the tables; may throw for a corrupt file too
 * @throws Error when the folder cannot be written, or every file is taken
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

/** Opens the siblings of a file that no process has any more; called with each, one at a time. */
export function* openOrphans(file: string, own: string): Generator<{ db: DatabaseSync; path: string }> {
  for (let number = 1; number <= MAX_FILES; number++) {
    const path = pathOf(file, number)
    if (path === own || !existsSync(path)) continue
    let db
    try {
      db = openExclusively(path, () => {}).db
    } catch (error) {
      if (isCorrupt(error)) putCorruptAside(path)
      continue
    }
    try {
      yield { db, path }
    } finally {
      db.close()
    }
  }
}

function openExclusively<T>(path: string, ready: (db: DatabaseSync) => T): { db: DatabaseSync; opened: T } {
  ensurePrivateFile(path)
  const db = new DatabaseSync(path, { timeout: 0 })
  try {
    // Two of the usual 2 KiB would not fit into a page of 4: measured, larger ones are a quarter faster too.
    db.exec('PRAGMA page_size = 8192')
    // In this order: a log without shared memory, and the lock with the first read.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES}`)
    const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > VERSION)
      throw new Error(`${path} is of a newer Hull: start that one, or move the file away to begin a new spool`)
    if (version < VERSION) db.exec(`PRAGMA user_version = ${VERSION}`)
    return { db, opened: ready(db) }
  } catch (error) {
    db.close()
    throw error
  }
}
