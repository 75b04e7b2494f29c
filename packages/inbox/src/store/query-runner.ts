import { isCorrupt } from '@hull/common/sqlite-file.ts'
import type { Grants } from '../access/roles.ts'
import { InboxUnavailable } from '../errors.ts'
import { isScan, queries, scans, type Queries } from '../queries/index.ts'
import { askByName } from './ask-by-name.ts'
import type { Promised } from './inbox.ts'
import { QueryThread } from './query-thread.ts'
import type { StorePlace } from './reader.ts'
import { openInboxReader } from './sqlite/file.ts'
import { SqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'

/**
 * Milliseconds of a query by key or from rollups on PostgreSQL, and how many may wait. Guesses: each takes milliseconds,
 * so these are for a database that is overloaded.
 */
const READ_DEADLINE = 5_000
const MAX_READS = 500

type Query = (store: Store, input: unknown) => unknown

/** Runs the queries of the inbox. Opens a connection with the first query that needs it. */
export interface QueryRunner {
  /** @param grants limit the queries to the projects of a person. @default all projects */
  queriesFor: (grants?: Grants) => Promised<Queries>
  /**
   * Call it when the writer has opened the store: the next queries open it, too.
   * @param isAgain whether the writer has opened the store before, or has failed to
   */
  reopen: (isAgain: boolean) => void
  close: () => Promise<void>
}

/**
 * Scans run in a thread of their own. Other queries run in the main thread on SQLite, and in a second thread on
 * PostgreSQL, which answers later, and whose connection blocks its thread.
 * @param onDamage called when a query found that the file is damaged
 */
export function createQueryRunner(place: StorePlace, onDamage: () => void): QueryRunner {
  let reader: Store | undefined
  const scanThread = new QueryThread(place)
  const readThread =
    place.database === undefined
      ? undefined
      : new QueryThread(place, { deadline: READ_DEADLINE, maxWaiting: MAX_READS, runsTogether: true })

  function closeReader(): void {
    reader?.close()
    reader = undefined
  }

  function openHere(): Store {
    try {
      return (reader ??= new SqliteStore(openInboxReader(place.file)))
    } catch (error) {
      throw new InboxUnavailable({ cause: error })
    }
  }

  function runHere(name: string, input: unknown, grants?: Grants): unknown {
    try {
      const store = openHere()
      return store.runFor(grants, () => (queries as unknown as Record<string, Query>)[name]!(store, input))
    } catch (error) {
      if (!isCorrupt(error)) throw error
      closeReader()
      // This query does not wait for the repair.
      onDamage()
      throw new InboxUnavailable({ cause: error })
    }
  }

  return {
    queriesFor(grants) {
      const direct = askByName(queries, async (name, input) =>
        readThread ? readThread.run(name, input, grants) : runHere(name, input, grants)
      )
      const inScans = askByName(scans, (name, input) => scanThread.run(name, input, grants))
      const isLong = isScan as Record<string, (input: unknown) => boolean>
      const inEither = askByName(isScan, async (name, input) => (isLong[name]!(input) ? inScans : direct)[name]!(input))
      return { ...direct, ...inScans, ...inEither } as unknown as Promised<Queries>
    },
    reopen(isAgain) {
      closeReader()
      // Without an attempt that failed, the threads cannot have opened anything else than the writer.
      if (!isAgain) return
      scanThread.restart()
      readThread?.restart()
    },
    async close() {
      closeReader()
      await Promise.all([scanThread.close(), readThread?.close()])
    }
  }
}
