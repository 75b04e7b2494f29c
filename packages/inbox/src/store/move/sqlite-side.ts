import { existsSync, renameSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { isCorrupt } from '@hull/common/sqlite-file.ts'
import { InboxCommandInvalid } from '../../errors.ts'
import { InboxInUse, openExclusively } from '../sqlite/exclusive-file.ts'
import { isInbox, openInboxFile, openInboxReader, versionOf, withSuffix } from '../sqlite/file.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { SqliteStore } from '../sqlite/sqlite-store.ts'
import { readSetting } from '../stored-settings.ts'
import type { LastIds, Side } from './side.ts'
import { openSchema } from './tables.ts'

/** Maximum bytes of a new file: no limit. The server that opens the file sets its own. */
const NO_LIMIT = 2 ** 44

/** A file as source or target. */
export class SqliteSide implements Side {
  readonly store: SqliteStore
  readonly place: string
  readonly remedy: string
  readonly #draft: string

  /**
   * @param file where the inbox is when the move is finished
   * @param draft where the target is until then. @default the file is not a target
   */
  constructor(db: DatabaseSync, file: string, draft = file) {
    this.store = new SqliteStore(db)
    this.place = file
    this.remedy = `move ${draft} to another folder first`
    this.#draft = draft
  }

  /**
   * Opens an inbox as the source. Other processes cannot open it until it is closed.
   * @throws InboxCommandInvalid if there is no inbox, a server has it open, or it has another schema
   */
  static openSource(file: string): SqliteSide {
    if (!existsSync(file)) throw new InboxCommandInvalid(`there is no inbox at ${file}: DATA_DIR says where it is`)
    const db = open(file)
    try {
      checkVersion(db, file)
      return new SqliteSide(db, file)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /**
   * Opens the target. It has a name of its own until it is finished, so that no server opens it before.
   * @param file where the inbox is when the move is finished
   * @throws InboxCommandInvalid if the file exists, unless it is from a finished move, or the folder is not writable
   */
  static openTarget(file: string): SqliteSide {
    if (existsSync(file)) return openFinished(file)
    // SQLite would apply the log of another file.
    if (existsSync(`${file}-wal`)) throw new InboxCommandInvalid(`${file}-wal exists: move it to another folder first`)
    const draft = withSuffix(file, 'moving')
    try {
      return new SqliteSide(openInboxFile(draft, NO_LIMIT), file, draft)
    } catch (error) {
      throw new InboxCommandInvalid(`${draft} cannot be opened: ${(error as Error).message}`, { cause: error })
    }
  }

  readLastIds(tables: readonly string[]): LastIds {
    const read = (table: string) =>
      this.store.get<{ id: number }>(
        `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0),
           coalesce((SELECT max(id) FROM ${table}), 0)) AS id`
      )!.id
    return new Map(tables.map((table) => [table, read(table)]))
  }

  stopTriggers(): void {
    for (const { name } of readTriggers(this.store.db)) this.store.db.exec(`DROP TRIGGER ${name}`)
  }

  startTriggers(): void {
    const schema = openSchema()
    for (const { sql } of readTriggers(schema)) this.store.db.exec(sql)
    schema.close()
  }

  /** Only tables with AUTOINCREMENT keep the last id. In the others, ids of deleted rows are given again. */
  raiseLastIds(ids: LastIds): void {
    const keeping = this.store.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
    )
    const own = this.readLastIds(keeping.map(({ name }) => name))
    for (const [name, last] of own) {
      this.store.run('DELETE FROM sqlite_sequence WHERE name = ?', name)
      const id = Math.max(last, ids.get(name) ?? 0)
      this.store.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', name, id)
    }
  }

  empty(table: string): void {
    this.store.run(`DELETE FROM ${table}`)
  }

  /** @throws InboxCommandInvalid if another process created the file */
  complete(): void {
    if (this.#draft === this.place) return
    if (existsSync(this.place))
      throw new InboxCommandInvalid(
        `a server created ${this.place} in the meantime: stop it, move the file to another folder, and run the command again`
      )
    // Writes the content of the WAL into the file, or fails if another process reads it.
    this.store.db.exec('PRAGMA journal_mode = DELETE')
    this.store.close()
    renameSync(this.#draft, this.place)
  }

  close(): void {
    if (this.store.db.isOpen) this.store.close()
  }
}

function open(file: string): DatabaseSync {
  try {
    return openExclusively(file)
  } catch (error) {
    if (error instanceof InboxInUse) throw new InboxCommandInvalid(`${file}: ${error.message}`, { cause: error })
    if (isCorrupt(error)) throw new InboxCommandInvalid(`${file} is no inbox, or damaged`, { cause: error })
    throw new InboxCommandInvalid(`${file} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws InboxCommandInvalid if the file is not from a finished move */
function openFinished(file: string): SqliteSide {
  try {
    const side = new SqliteSide(openInboxReader(file, 1), file)
    if (readSetting(side.store, 'move')?.finished !== undefined) return side
    side.close()
  } catch {
    // It may be any file.
  }
  throw new InboxCommandInvalid(`${file} exists: move it to another folder first`)
}

/** @throws InboxCommandInvalid */
function checkVersion(db: DatabaseSync, file: string): void {
  if (!isInbox(db)) throw new InboxCommandInvalid(`${file} is no inbox`)
  const version = versionOf(db)
  if (version > MIGRATIONS.length)
    throw new InboxCommandInvalid(
      `${file} was written by a newer Hull: its schema is ${version}, and this Hull supports ${MIGRATIONS.length}`
    )
  if (version < MIGRATIONS.length)
    throw new InboxCommandInvalid(
      `${file} was written by an older Hull: start a server of this version on it once without DATABASE_URL, which migrates it, and stop the server`
    )
}

const readTriggers = (db: DatabaseSync): { name: string; sql: string }[] =>
  db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid").all() as {
    name: string
    sql: string
  }[]
