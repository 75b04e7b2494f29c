import type { SQLInputValue } from 'node:sqlite'
import type { Store } from './store.ts'

/** The inbox's data about itself, in the table `setting`. */
export interface Settings {
  /** Key, in hex, to hash visitors without an id. */
  visitor_key: string
  /** Configured value, for the screens. */
  max_bytes: number
  /** Configured value, for the screens. */
  retention_days: number
  /** Result of the last retention run. */
  retention: { at: number; rows: number; behind: boolean }
  /** When a damaged file was found, and where it is kept. */
  corrupt: { at: number; aside: string }
  /** Release whose source maps were imported last: the running one. */
  maps_release: string
  /** Milliseconds since the epoch when the clock was last known to be right, to the hour. */
  clock_seen: number
  /** Number of changes to rollups of past hours. */
  late_changes: number
  /** Milliseconds since the epoch when the monitors were last checked, to the minute. */
  monitors_checked: number
  /** Milliseconds since the epoch when the newest item of each side was received. */
  last_received: { browser?: number; server?: number }
  /** The move that filled this store, which is not copied to another store. */
  move: Move
}

/** A move of an inbox to another store, as its target stores it in the same transactions as the rows. */
export interface Move {
  /** Random, so that a later move from this store is another one. */
  id: string
  /** Identifies the source. */
  source: string
  /** Schema version of both. */
  schema: number
  /** Milliseconds since the epoch when it was verified. @default it is not finished, and no server opens the store */
  finished?: number
  /** Tables with moved rows. */
  tables: Record<string, MovedRows>
}

/** Rows of a table that were moved. */
export interface MovedRows {
  rows: number
  /** Rows with a value that only SQLite can store. */
  changed: number
  /** Key of the last row. */
  after: SQLInputValue[]
}

/** Reads one of the inbox's own settings; undefined if it was never set. */
export const readSetting = <Name extends keyof Settings>(store: Store, name: Name): Settings[Name] | undefined =>
  askSetting(store, name)()

/** Asks for one of the inbox's own settings. */
export function askSetting<Name extends keyof Settings>(store: Store, name: Name): () => Settings[Name] | undefined {
  const rows = store.ask<{ value: string }>('SELECT value FROM setting WHERE name = ?', name)
  return () => {
    const [row] = rows()
    return row && JSON.parse(row.value)
  }
}

export function writeSetting<Name extends keyof Settings>(store: Store, name: Name, value: Settings[Name]): void {
  store.write(
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value)
  )
}
