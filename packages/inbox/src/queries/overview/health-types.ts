import type { ItemTypeRow } from '../../store/item-types.ts'

export interface Storage {
  /** Bytes in use in the file. */
  bytes: number
  maxBytes: number
  retentionDays: number
  /** Time of the oldest event; undefined without events. */
  oldest?: number
  events: number
  spans: number
}

export interface DropRow {
  origin: string
  reason: string
  category: string
  quantity: number
}

export interface StoreHealth {
  storage: Storage
  /** When the newest item was received, by side. */
  lastReceived: { browser?: number; server?: number }
  drops: DropRow[]
  /** Every type of item that was ever received. */
  types: ItemTypeRow[]
  maps: { maps: number; releases: number; bytes: number; sample?: { file: string; function?: string; line: number } }
  /** In-app frames of the last 24 hours without a source map, and all in-app frames. */
  unresolved: { frames: number; of: number }
  /** Last run of the retention: its time, how many rows it deleted, and whether more are to be deleted. @default it has not run */
  retention?: { at: number; rows: number; behind: boolean }
  /** Alerts of the last 24 hours that could not be delivered, and why the newest one failed. */
  deadAlerts: { messages: number; error?: string }
  /** Difference of this replica's clock from the database's in milliseconds; positive if it is ahead. */
  clockAhead: number
  /** Damaged file that was moved aside, with its path. */
  corrupt?: { at: number; aside: string }
}
