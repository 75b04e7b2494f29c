import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store.ts'

/*
 * A small JSON copy, beside the inbox's file, of the data that must survive damage: the projects' keys, with which
 * other services report, the people, their tokens and saved searches, the newest entries of the audit log, the channels,
 * rules and thresholds of alerts, and the key that visitors are hashed with.
 */

type Rows = Record<string, SQLInputValue>[]

const COPIED: Readonly<Record<string, string>> = {
  setting: `SELECT * FROM setting WHERE name = 'visitor_key'`,
  project: 'SELECT * FROM project ORDER BY id',
  person: 'SELECT * FROM person ORDER BY id',
  person_project: 'SELECT * FROM person_project ORDER BY person, project',
  person_session: 'SELECT * FROM person_session ORDER BY hash',
  invitation: 'SELECT * FROM invitation ORDER BY hash',
  api_token: 'SELECT * FROM api_token ORDER BY id',
  saved_search: 'SELECT * FROM saved_search ORDER BY id',
  audit: 'SELECT * FROM audit ORDER BY id DESC LIMIT 1000',
  alert_channel: 'SELECT * FROM alert_channel ORDER BY id',
  alert_rule: 'SELECT * FROM alert_rule ORDER BY id',
  alert_threshold: 'SELECT * FROM alert_threshold ORDER BY id'
}

/** Returns the path of the recovery copy: `inbox.recovery.json` for `inbox.db`. */
export const toRecoveryFile = (file: string): string =>
  `${file.slice(0, file.length - extname(file).length)}.recovery.json`

/** Writes the recovery copy if its content changed. */
export class RecoveryCopy {
  readonly #store: Store
  readonly #file: string
  #written = ''

  constructor(store: Store, file: string) {
    this.#store = store
    this.#file = file
  }

  /** @throws Error if the inbox cannot be read or the copy cannot be written */
  update(): void {
    const tables = Object.entries(COPIED).map(([table, sql]) => [table, this.#store.all(sql)])
    const text = JSON.stringify(Object.fromEntries(tables))
    if (text === this.#written) return
    const draft = `${this.#file}.part`
    // The new copy is on the disk before it replaces the old one.
    writeFileSync(draft, text, { mode: 0o600, flush: true })
    renameSync(draft, this.#file)
    this.#written = text
  }
}

/** Returns the tables in a recovery copy; none if the copy does not exist or cannot be read. */
export function readRecovery(file: string): Record<string, Rows> {
  try {
    const tables = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Rows>
    return Object.fromEntries(Object.keys(COPIED).map((table) => [table, tables[table] ?? []]))
  } catch {
    return {}
  }
}
