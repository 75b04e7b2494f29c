import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { isCorrupt, renameWithCompanions } from '@hull/common/sqlite-file.ts'
import { InboxCommandInvalid } from '../../errors.ts'
import { ensureWritableFolder } from '../writable-folder.ts'
import { BUSY_TIMEOUT, InboxInUse, openExclusively } from './exclusive-file.ts'
import { isInbox, versionOf, withSuffix } from './file.ts'
import { MIGRATIONS } from '../migrations/index.ts'

/** Pages to copy in one step: all. With several steps, SQLite would restart the copy after each write in between. */
const ALL_PAGES = 2 ** 31 - 1

/**
 * Copies the current state of the inbox to another file, even while a server writes to it.
 * @throws InboxCommandInvalid if there is no inbox, or if the other file already exists
 */
export async function backUpInbox(inbox: string, to: string): Promise<void> {
  if (!existsSync(inbox)) throw new InboxCommandInvalid(`there is no inbox at ${inbox}: DATA_DIR says where it is`)
  if (existsSync(to)) throw new InboxCommandInvalid(`${to} is there already: name another file, or remove it`)
  await copy(inbox, to, true)
}

/**
 * Replaces the inbox with a backup. No server may have the inbox open. Keeps the replaced file under a new name.
 * @returns path of the replaced file; undefined if there was none
 * @throws InboxCommandInvalid if the file is not a backup, is damaged or from a newer Hull, or if a server has the inbox open
 */
export async function restoreInbox(from: string, inbox: string): Promise<string | undefined> {
  if (!existsSync(from)) throw new InboxCommandInvalid(`there is no file ${from}`)
  if (resolve(from) === resolve(inbox)) throw new InboxCommandInvalid(`${from} is the inbox itself`)
  const draft = `${inbox}.restoring`
  await copy(from, draft, false)
  const isThere = existsSync(inbox)
  let release: (() => void) | undefined
  try {
    if (isThere) release = lockInbox(inbox)
    // Also where only its log is left, which SQLite would apply to the backup.
    const aside = putAside(inbox)
    renameSync(draft, inbox)
    return isThere ? aside : undefined
  } finally {
    release?.()
    rmSync(draft, { force: true })
  }
}

/** Copies to a temporary file and renames it after the check, so that the final name never shows an incomplete copy. */
async function copy(from: string, to: string, isLive: boolean): Promise<void> {
  ensureWritableFolder(to)
  const draft = `${to}.${process.pid}.part`
  try {
    // A database that no process has open is a single file, possibly on a read-only disk.
    if (isLive || existsSync(`${from}-wal`)) await copyLive(from, draft)
    else copyFileSync(from, draft)
    check(draft)
    // Readable by the owner only: the file contains visitors' data.
    chmodSync(draft, 0o600)
    renameSync(draft, to)
  } catch (error) {
    if (error instanceof InboxCommandInvalid) throw error
    if (/not a database|malformed/.test((error as Error).message))
      throw new InboxCommandInvalid(`${from} is no inbox, or damaged`, { cause: error })
    throw new InboxCommandInvalid(`${from} cannot be copied: ${(error as Error).message}`, { cause: error })
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) if (existsSync(draft + suffix)) rmSync(draft + suffix)
  }
}

/** Opens the source for writing: a read-only connection would leave its `-wal` and `-shm` files beside the inbox. */
async function copyLive(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from, { timeout: BUSY_TIMEOUT })
  try {
    await backup(source, to, { rate: ALL_PAGES })
  } finally {
    source.close()
  }
}

/** @throws InboxCommandInvalid */
function check(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    if (!isInbox(db)) throw new InboxCommandInvalid('it is no inbox')
    const version = versionOf(db)
    if (version > MIGRATIONS.length)
      throw new InboxCommandInvalid(
        `it was written by a newer Hull: its schema is ${version}, and this Hull supports ${MIGRATIONS.length}`
      )
    const { integrity_check: found } = db.prepare('PRAGMA integrity_check(1)').get()!
    if (found !== 'ok') throw new InboxCommandInvalid(`it is damaged: ${String(found)}`)
  } finally {
    db.close()
  }
}

/** Keeps servers from opening the inbox. @returns releases the lock */
function lockInbox(inbox: string): () => void {
  try {
    const db = openExclusively(inbox)
    return () => db.close()
  } catch (error) {
    if (error instanceof InboxInUse) throw new InboxCommandInvalid(error.message, { cause: error })
    // The inbox is damaged, so no server uses it; the damage may be the reason for the restore.
    if (isCorrupt(error)) return () => {}
    throw new InboxCommandInvalid(`${inbox} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

const putAside = (inbox: string): string =>
  renameWithCompanions(inbox, withSuffix(inbox, `replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`))
