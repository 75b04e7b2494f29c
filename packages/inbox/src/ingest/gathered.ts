import type { SQLInputValue } from 'node:sqlite'
import type { Store } from '../store/store.ts'

/**
 * Records of one kind that the items of a batch leave behind. They are written together at the end of the batch, with
 * few statements.
 */
export class Gathered<T> {
  #records: T[] = []
  /** Number of records of the items before the current one. */
  #kept = 0

  add(record: T): void {
    this.#records.push(record)
  }

  /** Call it after an item was read. */
  commitItem(): void {
    this.#kept = this.#records.length
  }

  /** Discards the records of the current item. */
  discardItem(): void {
    this.#records.length = this.#kept
  }

  /** Returns all records, and forgets them. */
  take(): T[] {
    const records = this.#records
    this.clear()
    return records
  }

  clear(): void {
    this.#records = []
    this.#kept = 0
  }
}

/** A row that depends on no other row. */
export interface PlainRow {
  /** `INSERT INTO table (columns)` */
  into: string
  /** @default '' */
  onConflict?: string
  values: SQLInputValue[]
}

/** Inserts rows of several tables. */
export function insertPlainRows(store: Store, rows: readonly PlainRow[]): void {
  for (const [into, group] of Map.groupBy(rows, ({ into }) => into))
    store.insertRows(
      into,
      group.map(({ values }) => values),
      group[0]!.onConflict
    )
}
