import { InboxCommandInvalid } from '../../errors.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { openUnfinishedPostgres, openPostgres } from '../postgres/open.ts'
import { toPlace } from '../postgres/postgres-keeper.ts'
import type { PostgresStore } from '../postgres/postgres-store.ts'
import { SCHEMA } from '../postgres/schema.ts'
import type { LastIds, Side } from './side.ts'

/** The full-text table. Its trigger computes the column of the index from the others. */
const SEARCH = 'issue_search'

/** A server limits its statements. Counting the rows of a large table takes longer than any of them. */
const LIMITS = "SET statement_timeout = 0; SET lock_timeout = '20s'"

/** A database as source or target. */
export class PostgresSide implements Side {
  readonly store: PostgresStore
  readonly place: string
  readonly remedy: string

  /**
   * @param url address of the database
   * @throws InboxCommandInvalid if a server or another move uses it
   * @throws the errors of {@link openPostgres}
   */
  constructor(url: string, role: 'source' | 'target') {
    this.place = toPlace(url)
    this.remedy = `use another database, or empty this one with DROP SCHEMA ${SCHEMA} CASCADE`
    const options = { url, answerTimeout: Infinity }
    this.store = role === 'source' ? openPostgres(options) : openUnfinishedPostgres(options)
    this.#checkSchema()
    if (this.store.holdExclusively()) {
      this.store.exec(LIMITS)
      // In a file that was copied from another database, ids contain days, up to today.
      if (role === 'target') this.store.extendDays()
      return
    }
    this.store.close()
    throw new InboxCommandInvalid(
      `a server or another move uses ${this.place}: stop it first. If it crashed, the database notices that within a minute`
    )
  }

  readLastIds(tables: readonly string[]): LastIds {
    const read = (table: string) =>
      this.store.get<{ id: number }>(
        `SELECT greatest((SELECT last_value FROM pg_sequences WHERE schemaname = '${SCHEMA}' AND sequencename = '${table}_id_seq'),
           (SELECT max(id) FROM ${table}), 0) AS id`
      )!.id
    return new Map(tables.map((table) => [table, read(table)]))
  }

  /** A table keeps its triggers disabled until {@link startTriggers}, in other connections too. */
  stopTriggers(): void {
    this.#setTriggers('DISABLE')
  }

  startTriggers(): void {
    this.#setTriggers('ENABLE')
  }

  raiseLastIds(ids: LastIds): void {
    const own = this.readLastIds([...ids.keys()])
    for (const [table, id] of ids) {
      const last = Math.max(id, own.get(table)!)
      if (last > 0) this.store.get(`SELECT setval(pg_get_serial_sequence('${SCHEMA}.${table}', 'id'), ?)`, last)
    }
  }

  empty(table: string): void {
    this.store.exec(`TRUNCATE ${table}`)
  }

  /** The planner needs to know the sizes of the tables before it chooses their indexes. */
  complete(): void {
    for (const { name } of this.store.all<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${SCHEMA}'`
    ))
      this.store.exec(`ANALYZE ${name}`)
  }

  close(): void {
    this.store.close()
  }

  /** A server starts on a schema that is newer by one; but all columns are copied. */
  #checkSchema(): void {
    const { version } = this.store.get<{ version: number }>('SELECT version FROM schema_version')!
    if (version <= MIGRATIONS.length) return
    this.store.close()
    throw new InboxCommandInvalid(
      `the database has schema ${version}; this Hull knows ${MIGRATIONS.length}: use the Hull of its servers to copy it`
    )
  }

  #setTriggers(action: 'ENABLE' | 'DISABLE'): void {
    const tables = this.store.all<{ name: string }>(
      `SELECT DISTINCT relname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
       WHERE relnamespace = to_regnamespace('${SCHEMA}') AND NOT tgisinternal AND relname <> '${SEARCH}'`
    )
    for (const { name } of tables) this.store.exec(`ALTER TABLE ${name} ${action} TRIGGER USER`)
  }
}
