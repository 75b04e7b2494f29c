import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { MIGRATIONS } from './migrations/index.ts'

/** Pages to copy in one step: all. In several, each write in between would have SQLite begin anew. */
const ALL_PAGES = 2 ** 31 - 1

/** Milliseconds to wait for a lock that is held for a moment. */
const BUSY_TIMEOUT = 2_000

/** What a person can do something about. */
export class BackupFailed extends Error {
  override name = 'BackupFailed'
}

/**
 * Copies the inbox to another file, as it is at this moment, while a server may go on writing to it.
 * @throws BackupFailed where there is no inbox, or the other file is there already
 */
export async function backUpInbox(inbox: string, to: string): Promise<void> {
  if (!existsSync(inbox)) throw new BackupFailed(`there is no inbox at ${inbox}: DATA_DIR says where it is`)
  if (existsSync(to)) throw new BackupFailed(`${to} is there already: name another file, or remove it`)
  await copy(inbox, to, true)
}

/**
 * Puts a backup into the place of the inbox, which no server may have open. What was there is kept aside.
 * @returns where that is; undefined where nothing was there
 * @throws BackupFailed where the backup is none, is damaged or of a newer Hull, or where a server has the inbox open
 */
export async function restoreInbox(from: string, inbox: string): Promise<string | undefined> {
  if (!existsSync(from)) throw new BackupFailed(`there is no file ${from}`)
  if (resolve(from) === resolve(inbox)) throw new BackupFailed(`${from} is the inbox itself`)
  const draft = `${inbox}.restoring`
  rmSync(draft, { force: true })
  mkdirSync(dirname(inbox), { recursive: true })
  await copy(from, draft, false)
  let aside: string | undefined
  const release = existsSync(inbox) ? close(inbox) : undefined
  try {
    if (existsSync(inbox)) aside = putAside(inbox)
    renameSync(draft, inbox)
  } finally {
    release?.()
    rmSync(draft, { force: true })
  }
  return aside
}

/** By way of a draft: what has the name is whole, and was looked at. */
async function copy(from: string, to: string, isLive: boolean): Promise<void> {
  const draft = `${to}.${process.pid}.part`
  mkdirSync(dirname(resolve(to)), { recursive: true })
  try {
    // One that nobody has open is a single file, and may be on a disk that is only read.
    if (isLive || existsSync(`${from}-wal`)) await copyLive(from, draft)
    else copyFileSync(from, draft)
    check(draft)
    // For its owner alone: what visitors did is in there.
    chmodSync(draft, 0o600)
    renameSync(draft, to)
  } catch (error) {
    if (error instanceof BackupFailed) throw error
    if (/not a database|malformed/.test((error as Error).message))
      throw new BackupFailed(`${from} is no inbox, or damaged`, { cause: error })
    throw new BackupFailed(`${from} cannot be copied: ${(error as Error).message}`, { cause: error })
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true })
  }
}

/** By a connection that might write: one that cannot would leave its files beside the inbox. */
async function copyLive(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { timeout: BUSY_TIMEOUT })
  try {
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
}

/** @throws BackupFailed */
function check(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const version = Number(Object.values(db.prepare('PRAGMA user_version').get()!)[0])
    const isInbox = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'issue_key'").get() !== undefined
    if (version < 1 || !isInbox) throw new BackupFailed('it is no inbox')
    if (version > MIGRATIONS.length)
      throw new BackupFailed(`it is of a newer Hull: it has schema ${version}, and this one knows ${MIGRATIONS.length}`)
    const [found] = db
      .prepare('PRAGMA integrity_check(1)')
      .all()
      .map((row) => Object.values(row)[0])
    if (found !== 'ok') throw new BackupFailed(`it is damaged: ${String(found)}`)
  } finally {
    db.close()
  }
}

/**
 * Takes the inbox for itself: leaving the mode in which several may write takes the only connection, and writes all
 * that stands beside the file into it.
 * @returns gives it back
 */
function close(inbox: string): () => void {
  const db = new DatabaseSync(inbox, { timeout: BUSY_TIMEOUT })
  try {
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return () => db.close()
  } catch (error) {
    db.close()
    if (/locked|busy/.test((error as Error).message))
      throw new BackupFailed('a server has the inbox open: stop it first', { cause: error })
    // Damaged: nobody can use it, and that may be why it is to be replaced.
    return () => {}
  }
}

function putAside(inbox: string): string {
  const extension = extname(inbox)
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const aside = `${inbox.slice(0, inbox.length - extension.length)}.replaced-${time}${extension}`
  for (const suffix of ['-wal', '-shm', '']) if (existsSync(inbox + suffix)) renameSync(inbox + suffix, aside + suffix)
  return aside
}
