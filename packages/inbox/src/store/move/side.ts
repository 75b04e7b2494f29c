import type { Store } from '../store.ts'

/** Highest ids that were ever given, by table. Ids of deleted rows are not given again. */
export type LastIds = ReadonlyMap<string, number>

/** One of the two stores of a move, as its source or its target. No other process writes it until it is closed. */
export interface Side {
  readonly store: Store
  /** Path of the file, or server and name of the database. */
  readonly place: string
  /** Says what to do if it has an unfinished move or another inbox. */
  readonly remedy: string
  readLastIds: (tables: readonly string[]) => LastIds
  /** Makes the tables take rows as they are: without triggers, because their results are moved too. */
  stopTriggers: () => void
  startTriggers: () => void
  raiseLastIds: (ids: LastIds) => void
  /** Removes all rows of a table. */
  empty: (table: string) => void
  /** Called after the last commit of a finished move. */
  complete: () => void
  close: () => void
}
