import type { Store } from './store.ts'

/** What the inbox keeps about itself, in the table `setting`. */
export interface Settings {
  /** Hex; with it visitors without an id are hashed. */
  visitor_key: string
  /** As configured, for the screens. */
  max_bytes: number
  /** As configured, for the screens. */
  retention_days: number
  /** What the retention did last. */
  retention: { at: number; rows: number; behind: boolean }
  /** A file that was damaged, and where it is kept. */
  corrupt: { at: number; aside: string }
  /** The release whose source maps were imported last: the one that runs. */
  maps_release: string
  /** When the clock was last known to be right, to the hour. */
  clock_seen: number
  /** How often rollups of hours that are over were changed. */
  late_changes: number
  /** When the newest item came, by side: `{ browser, server }`. */
  last_received: { browser?: number; server?: number }
}

/** One of the inbox's own settings; undefined where it was never set. */
export function readSetting<Name extends keyof Settings>(store: Store, name: Name): Settings[Name] | undefined {
  const row = store.get<{ value: string }>('SELECT value FROM setting WHERE name = ?', name)
  return row && JSON.parse(row.value)
}

export function writeSetting<Name extends keyof Settings>(store: Store, name: Name, value: Settings[Name]): void {
  store.run(
    'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    JSON.stringify(value)
  )
}
