import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import type { Store } from './store.ts'

/*
 * A small copy of what a damaged inbox must not take with it: the projects' keys, by which other services report, the
 * people, and the key that visitors are hashed with. It lies beside the inbox's file, as JSON.
 */

type Rows = Record<string, SQLInputValue>[]

const COPIED: Readonly<Record<string, string>> = {
  setting: `SELECT * FROM setting WHERE name = 'visitor_key'`,
  project: 'SELECT * FROM project ORDER BY id',
  person: 'SELECT * FROM person ORDER BY id',
  person_session: 'SELECT * FROM person_session ORDER BY hash',
  invitation: 'SELECT * FROM invitation ORDER BY hash'
}

/** `inbox.db` has its recovery copy in `inbox.recovery.json`. */
export const toRecoveryFile = (file: string): string =>
  `${file.slice(0, file.length - extname(file).length)}.recovery.json`

/** Writes the recovery copy, whenever it differs from what it was. */
export class RecoveryCopy {
  readonly #store: Store
  readonly #file: string
  #written = ''

  constructor(store: Store, file: string) {
    this.#store = store
    this.#file = file
  }

  /** @throws Error where the inbox cannot be read, or the copy not be written */
  update(): void {
    const tables = Object.entries(COPIED).map(([table, sql]) => [table, this.#store.all(sql)])
    const text = JSON.stringify(Object.fromEntries(tables))
    if (text === this.#written) return
    const draft = `${this.#file}.part`
    // The old copy is replaced when the new one is on the disk.
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, this.#file)
    this.#written = text
  }
}

/** The tables in a recovery copy; none where there is no copy, or it cannot be read. */
export function readRecovery(file: string): Record<string, Rows> {
  try {
    const tables = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Rows>
    return Object.fromEntries(Object.keys(COPIED).map((table) => [table, tables[table] ?? []]))
  } catch {
    return {}
  }
}
