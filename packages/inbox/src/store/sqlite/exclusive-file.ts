import { DatabaseSync } from 'node:sqlite'

/** Milliseconds to wait for a lock. */
export const BUSY_TIMEOUT = 2_000

/** Error thrown if another process has the inbox open. */
export class InboxInUse extends Error {
  override name = 'InboxInUse'

  constructor(options: ErrorOptions) {
    super('a server has the inbox open: stop it first', options)
  }
}

/**
 * Opens an inbox so that no other process can open it until the connection is closed. Leaving WAL mode requires the
 * only connection, and writes the content of the WAL into the file.
 * @throws InboxInUse if another process has it open
 * @throws Error if the file is damaged or cannot be written
 */
export function openExclusively(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT })
  try {
    db.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE')
    return db
  } catch (error) {
    db.close()
    if (/locked|busy/.test((error as Error).message)) throw new InboxInUse({ cause: error })
    throw error
  }
}
