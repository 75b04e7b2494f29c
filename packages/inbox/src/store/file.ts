import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CORRUPT_MARK,
  corruptMark,
  ensurePrivateFile,
  isBusy,
  isCorrupt,
  putAside,
  removeOldCopies,
  sqliteCodeOf
} from '@hull/common/sqlite-file.ts'
import { MIGRATIONS } from './migrations/index.ts'

/** Milliseconds to wait for a process that writes the same file: it holds the lock for one batch, or one chunk of deletes. */
const BUSY_TIMEOUT = 10_000

/** Pages of 8 KiB hold an event's row and payload without a chain of further pages. */
const PAGE_SIZE = 8192

/** Bytes to which the log beside the file shrinks once it has been taken over. */
const WAL_BYTES = 32 * 1024 ** 2

export interface InboxFile {
  db: DatabaseSync
  /** Where what could not be read was put. */
  corrupt?: string
}

/** Where the file is of a newer Hull than this one. */
export class NewerFile extends Error {
  override name = 'NewerFile'
}

/** Whether SQLite itself failed, rather than what it was given. */
export const isStorageError = (error: unknown): boolean =>
  typeof (error as { errcode?: number } | undefined)?.errcode === 'number' &&
  ![1, 19, 20, 25].includes(sqliteCodeOf(error))

/**
 * Opens the file to write, makes it where there is none, and brings it to the newest schema; before that a copy is put
 * beside it. What is no database, or a damaged one, is put aside under a new name, and a new one opened.
 * @param maxBytes bytes that the file may grow to
 * @throws NewerFile where a newer Hull made it
 * @throws Error where the folder cannot be written
 */
export function openInboxFile(file: string, maxBytes: number, migrations = MIGRATIONS): InboxFile {
  mkdirSync(dirname(file), { recursive: true })
  try {
    return { db: open(file, maxBytes, migrations) }
  } catch (error) {
    if (!isCorrupt(error)) throw error
    const corrupt = putCorruptAside(file)
    return { db: open(file, maxBytes, migrations), corrupt }
  }
}

/** Opens the file to read. @throws Error where there is none, or where it is being replaced at this moment */
export function openInboxReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 })
  try {
    if (versionOf(db) === 0) throw new Error(`${file} has no tables yet`)
    db.exec('PRAGMA cache_size = -16384')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Tables of a large file that are looked at by the minute: without them nobody gets in, and no service is known. */
const VITAL_TABLES = ['setting', 'project', 'person', 'person_session', 'invitation', 'release']

/** Bytes of a file that is looked at as a whole by the minute: 0.5 ms for each of its MiB. Measured. */
const SMALL_FILE = 128 * 1024 ** 2

/** A look at a file in use, by a connection that has nothing of it in memory; of a large file only the vital tables. */
export const seemsDamaged = (file: string): boolean =>
  existsSync(file) && isDamaged(file, statSync(file).size > SMALL_FILE ? VITAL_TABLES : undefined)

/**
 * Whether the file at this path is damaged. Another process may have put a new one there already.
 * @param tables those to read. @default all of the file
 */
export function isDamaged(file: string, tables?: readonly string[]): boolean {
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 })
    try {
      const checks = tables?.map((table) => `PRAGMA quick_check('${table}')`) ?? ['PRAGMA quick_check(1)']
      return checks.some((check) => Object.values(db.prepare(check).get() ?? {})[0] !== 'ok')
    } finally {
      db.close()
    }
  } catch (error) {
    return isCorrupt(error)
  }
}

/** Keeps what cannot be read, for whoever wants to try: `inbox.corrupt-<time>.db`, the newest two of them. @returns its name */
export function putCorruptAside(file: string): string {
  const aside = putAside(file, beside(file, corruptMark()))
  const extension = extname(file)
  const copy = new RegExp(`^\\.${CORRUPT_MARK}${RegExp.escape(extension)}(?:-wal|-shm)?$`)
  const stem = basename(file, extension)
  removeOldCopies(dirname(file), (name) =>
    name.startsWith(stem) ? copy.exec(name.slice(stem.length))?.groups!['time'] : undefined
  )
  return aside
}

function open(file: string, maxBytes: number, migrations: readonly string[]): DatabaseSync {
  ensurePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT })
  try {
    db.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA auto_vacuum = INCREMENTAL`)
    enterWal(db)
    // FULL: an envelope is answered as soon as it was committed here.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${WAL_BYTES}; PRAGMA cache_size = -65536`)
    migrate(db, file, migrations)
    const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
    db.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / pageSize)}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Another process that opens the same new file at this moment makes SQLite answer busy at once, whatever the timeout. */
function enterWal(db: DatabaseSync): void {
  for (let attempt = 1; ; attempt++) {
    try {
      db.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || attempt === 50) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

function migrate(db: DatabaseSync, file: string, migrations: readonly string[]): void {
  const found = versionOf(db)
  if (found > migrations.length)
    throw new NewerFile(`${file} has schema ${found}; this Hull knows ${migrations.length} and leaves it alone`)
  if (found === migrations.length) return
  if (found > 0) backUp(db, file, found)
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have been quicker.
    for (const migration of migrations.slice(versionOf(db))) db.exec(migration)
    db.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

const versionOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/** `inbox.before-<schema>.db`; the copies of earlier migrations go. */
function backUp(db: DatabaseSync, file: string, version: number): void {
  const folder = dirname(file)
  const earlier = `${basename(file, extname(file))}.before-`
  for (const name of readdirSync(folder)) if (name.startsWith(earlier)) rmSync(join(folder, name))
  const copy = beside(file, `before-${version + 1}`)
  writeFileSync(copy, '', { mode: 0o600 })
  db.prepare('VACUUM INTO ?').run(copy)
}

/** `inbox.db` and `x` make `inbox.x.db`. */
function beside(file: string, word: string): string {
  const extension = extname(file)
  return `${file.slice(0, file.length - extension.length)}.${word}${extension}`
}
