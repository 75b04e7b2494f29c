import { isFull, sqliteCodeOf } from '@hull/common/sqlite-file.ts'
import { InboxUnavailable } from '../errors.ts'
import { PostgresError } from './postgres/postgres-error.ts'

/** Result codes of SQLite for a wrong statement or value. */
const SQLITE_WRONG = [1, 19, 20, 25]

/** Classes of PostgreSQL's SQLSTATE for a wrong value, constraint, statement or name, or one that is too large. */
const POSTGRES_WRONG = ['0A', '21', '22', '23', '42', '54']

/** Whether the database itself failed, as opposed to a wrong statement or value. */
export const isStorageError = (error: unknown): boolean =>
  error instanceof PostgresError
    ? !POSTGRES_WRONG.includes(error.code.slice(0, 2))
    : typeof (error as { errcode?: number } | undefined)?.errcode === 'number' &&
      !SQLITE_WRONG.includes(sqliteCodeOf(error))

/**
 * Whether the file has reached its maximum size, or its disk is full. A database whose disk is full is an outage:
 * envelopes wait for room.
 */
export const isStoreFull = (error: unknown): boolean => !(error instanceof PostgresError) && isFull(error)

/**
 * The error that a person sees. InboxUnavailable if the database is away or overloaded: a change may have been made
 * nevertheless, if the connection was lost in the commit.
 */
export const toVisibleError = (error: unknown): unknown =>
  error instanceof PostgresError && isStorageError(error) ? new InboxUnavailable({ cause: error }) : error
