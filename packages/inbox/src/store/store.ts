import type { SQLInputValue } from 'node:sqlite'
import type { Grants } from '../access/roles.ts'

/** A row of a result. On SQLite its prototype is null. */
export type Row = Record<string, unknown>

/**
 * A connection to the inbox's tables, on SQLite or PostgreSQL. Statements are written in SQLite's language as far as it
 * is also PostgreSQL's; docs/decisions/094-inbox-on-postgresql.md lists the differences.
 */
export abstract class Store {
  /** Limits the running query to the projects of a person. @default all projects */
  grants: Grants | undefined

  /** Runs a query for a person, who sees no other projects than these grants allow. */
  runFor<T>(grants: Grants | undefined, query: () => T): T {
    this.grants = grants
    try {
      return query()
    } finally {
      this.grants = undefined
    }
  }

  abstract all<T = Row>(sql: string, ...values: SQLInputValue[]): T[]

  abstract get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined

  /** Runs an INSERT of one row into a table whose key is `id`. @returns the id */
  abstract insert(sql: string, ...values: SQLInputValue[]): number

  /** @returns the number of changed rows */
  abstract run(sql: string, ...values: SQLInputValue[]): { changes: number }

  /** Runs a statement without keeping it prepared: SQL built from user input has too many different texts. */
  abstract allOnce<T = Row>(sql: string, ...values: SQLInputValue[]): T[]

  /** Changes after each write, whether by {@link run} or by another connection. */
  abstract get writes(): number | string

  /** Runs the work in a transaction and rolls back if it throws. No other connection writes meanwhile. Cannot be nested. */
  abstract transaction<T>(work: () => T): T

  /** Runs low-priority work, whose commits need not wait for the disk. */
  abstract runLowPriority<T>(work: () => T): T

  /** Bytes of the stored rows and their indexes. */
  abstract usedBytes(): number

  /** Returns a little unused space to the disk. @param maxBytes maximum size of the store @returns whether there is more */
  abstract shrink(maxBytes: number): boolean

  abstract close(): void
}
