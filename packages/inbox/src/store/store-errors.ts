import { isFull, sqliteCodeOf } from '@hull/common/sqlite-file.ts'
import { PostgresError } from './postgres/postgres-error.ts'

/** Result codes of SQLite for a wrong statement or value. */
const SQLITE_WRONG = [1, 19, 20, 25]

/** Classes of PostgreSQL's SQLSTATE for a wrong value, constraint, statement or name. */
const POSTGRES_WRONG = ['22', '23', '42']

const POSTGRES_DISK_FULL = '53100'

/** Whether the database itself failed, as opposed to a wrong statement or value. */
export const isStorageError = (error: unknown): boolean =>
  error instanceof PostgresError
    ? !POSTGRES_WRONG.includes(error.code.slice(0, 2))
    : typeof (error as { errcode?: number } | undefined)?.errcode === 'number' &&
      !SQLITE_WRONG.includes(sqliteCodeOf(error))

/** Whether the store has reached its maximum size, or the disk is full. */
export const isStoreFull = (error: unknown): boolean =>
  error instanceof PostgresError ? error.code === POSTGRES_DISK_FULL : isFull(error)
