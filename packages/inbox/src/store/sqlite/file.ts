import { existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  CORRUPT_MARK,
  corruptMark,
  ensurePrivateFile,
  isBusy,
  isCorrupt,
  renameWithCompanions,
  removeOldDamagedFiles
} from '@hull/common/sqlite-file.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { ensureWritableFolder } from '../writable-folder.ts'
import { NewerStore } from '../newer-store.ts'
import { CACHE_KIB, SqliteStore } from './sqlite-store.ts'

/**
 * Milliseconds to wait for another process that writes the file. It holds the lock for one batch or one chunk of
 * deletes.
 */
const BUSY_TIMEOUT = 10_000

/** Bytes of a page. An event's row and payload fit in a page of 8 KiB without overflow pages. */
const PAGE_SIZE = 8192

/** Bytes to which the WAL shrinks after a checkpoint. */
const WAL_BYTES = 32 * 1024 ** 2

/**
 * Opens the file for writing; creates it if it does not exist, and migrates it to the newest schema. Copies the file
 * before a migration. Renames a damaged file, or one that is not a database, and opens a new one without its rows: see
 * {@link findUnsalvaged}.
 * @param maxBytes maximum size of the file in bytes
 * @throws NewerStore if the file is from a newer Hull
 * @throws Error if the folder is not writable
 */
export function openInboxFile(file: string, maxBytes: number, migrations = MIGRATIONS): DatabaseSync {
  ensureWritableFolder(file)
  try {
    return open(file, maxBytes, migrations)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    putCorruptAside(file)
    return open(file, maxBytes, migrations)
  }
}

/**
 * Opens the file for reading.
 * @param oldest lowest schema that is accepted. @default the newest, so that no query misses a table
 * @throws Error if the file does not exist, is not migrated yet, or another process is just replacing it
 */
export function openInboxReader(file: string, oldest = MIGRATIONS.length): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 1_000 })
  try {
    const found = versionOf(db)
    if (found === 0) throw new Error(`${file} has no tables yet`)
    if (found < oldest) throw new Error(`${file} has schema ${found}, and is not migrated yet`)
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Tables of a large file that are checked regularly: without them nobody can sign in, and keys of services are unknown.
 */
const VITAL_TABLES = ['setting', 'project', 'person', 'person_session', 'invitation', 'release']

/** Bytes up to which the regular check reads the whole file. The check takes 0.5 ms per MiB. Measured. */
const SMALL_FILE = 128 * 1024 ** 2

/** Checks a file in use through a new connection with an empty cache. Of a large file, checks only the vital tables. */
export const seemsDamaged = (file: string): boolean =>
  existsSync(file) && isDamaged(file, statSync(file).size > SMALL_FILE ? VITAL_TABLES : undefined)

/**
 * Whether the file at this path is damaged. Another process may already have replaced it.
 * @param tables tables to check
 * @default all of the file
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

/** Part of a damaged file's name until its rows are in the new file, so that a restart does not leave them out. */
const UNSALVAGED = '.salvage'

/** Renames an unreadable file to `inbox.corrupt-<time>.salvage.db`. */
export function putCorruptAside(file: string): void {
  renameWithCompanions(file, withSuffix(file, corruptMark() + UNSALVAGED))
}

/** Returns the paths of damaged files whose rows are not in the new file, or not all; the newest is first. */
export function findUnsalvaged(file: string): string[] {
  const folder = dirname(file)
  const pattern = damagedNames(file, UNSALVAGED + extname(file))
  const names = readdirSync(folder).filter((name) => pattern.test(name))
  return names
    .sort()
    .toReversed()
    .map((name) => join(folder, name))
}

/** Returns the path of a damaged file after {@link finishSalvage}: `inbox.corrupt-<time>.db`. */
export function toSalvaged(unsalvaged: string): string {
  const extension = extname(unsalvaged)
  return unsalvaged.slice(0, -(UNSALVAGED + extension).length) + extension
}

/** Renames a damaged file whose rows are in the new file, so that it can be examined. Keeps the newest two. */
export function finishSalvage(file: string, unsalvaged: string): void {
  renameWithCompanions(unsalvaged, toSalvaged(unsalvaged))
  const pattern = damagedNames(file, extname(file), '(?:-wal|-shm)?')
  removeOldDamagedFiles(dirname(file), (name) => pattern.exec(name)?.groups!['time'])
}

function damagedNames(file: string, end: string, companion = ''): RegExp {
  const stem = basename(file, extname(file))
  return new RegExp(`^${RegExp.escape(stem)}\\.${CORRUPT_MARK}${RegExp.escape(end)}${companion}$`)
}

function open(file: string, maxBytes: number, migrations: readonly string[]): DatabaseSync {
  ensurePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT })
  try {
    db.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA auto_vacuum = INCREMENTAL`)
    enterWal(db)
    // FULL: the client gets its answer right after the commit, so the commit must be on the disk.
    db.exec(`PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${WAL_BYTES}; PRAGMA cache_size = -${CACHE_KIB}`)
    // Savepoints copy each page that an item changes; in a temporary file, the copies take a fifth of intake's time.
    db.exec('PRAGMA temp_store = MEMORY')
    migrate(db, file, migrations)
    const { page_size: pageSize } = db.prepare('PRAGMA page_size').get() as { page_size: number }
    db.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / pageSize)}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Retries: if another process opens the same new file, SQLite reports busy at once and ignores the timeout. */
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
    throw new NewerStore(`${file} has schema ${found}; this Hull knows ${migrations.length} and leaves it alone`)
  if (found === migrations.length) return
  if (found > 0) backUp(db, file, found)
  db.exec('BEGIN IMMEDIATE')
  try {
    // Another process may have migrated the file in the meantime.
    for (const migration of migrations.slice(versionOf(db))) db.exec(migration)
    db.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Number of migrations that were applied to a file; 0 for one without tables. */
export const versionOf = (db: DatabaseSync): number =>
  (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version

/** Whether a file is an inbox, of any schema. */
export const isInbox = (db: DatabaseSync): boolean =>
  versionOf(db) > 0 && db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'issue_key'").get() !== undefined

/**
 * Copies the file to `inbox.before-<schema>.db` and deletes the copies of earlier migrations.
 * @throws Error if the disk has no room for the copy
 */
function backUp(db: DatabaseSync, file: string, version: number): void {
  const folder = dirname(file)
  const earlier = `${basename(file, extname(file))}.before-`
  for (const name of readdirSync(folder)) if (name.startsWith(earlier)) rmSync(join(folder, name))
  const copy = withSuffix(file, `before-${version + 1}`)
  // Checked first: this is tried again every other second, and each time would fill the disk.
  const { blocks, bavail, bsize } = statfsSync(folder)
  const missing = Math.ceil((new SqliteStore(db).usedBytes() - bavail * bsize) / 1024 ** 2)
  if (blocks > 0 && missing > 0)
    throw new Error(`a copy of ${file} is made before its schema changes: free ${missing} MiB of the disk`)
  writeFileSync(copy, '', { mode: 0o600 })
  db.prepare('VACUUM INTO ?').run(copy)
}

/** Adds a suffix before the extension of a file name: `inbox.db` and `x` make `inbox.x.db`. */
export function withSuffix(file: string, suffix: string): string {
  const extension = extname(file)
  return `${file.slice(0, file.length - extension.length)}.${suffix}${extension}`
}
