import { openInboxReader } from './sqlite/file.ts'
import { openPostgresReader } from './postgres/open.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/**
 * Milliseconds after which a database that does not answer counts as lost, also while the connection is opened. As long
 * as an attempt to connect.
 */
const ANSWER_TIMEOUT = 5_000

/** Where the inbox's tables are. */
export interface StorePlace {
  /** Path of the SQLite file, whose folder is created if it does not exist. */
  file: string
  /** Address of the PostgreSQL database, `postgresql://…`. @default the tables are in the file */
  database?: string | undefined
}

/**
 * Opens the store for reading.
 * @param deadline milliseconds for one query of PostgreSQL; SQLite has no limit
 * @throws Error if the file does not exist, or there is no connection
 */
export const openReader = ({ file, database }: StorePlace, deadline: number): Store =>
  database === undefined
    ? new SqliteStore(openInboxReader(file))
    : openPostgresReader({ url: database, answerTimeout: ANSWER_TIMEOUT }, deadline)
