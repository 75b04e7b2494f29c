import { LazyValue } from '@hull/common/lazy-value.ts'
import type { Grants } from '../access/roles.ts'
import type { Queries } from '../queries/index.ts'
import { askByName } from './ask-by-name.ts'
import type { Promised } from './inbox.ts'
import type { LocalQueries } from './local-queries.ts'
import { QueryThread } from './query-thread.ts'
import type { StorePlace } from './reader.ts'

/**
 * Milliseconds of a query by key or from rollups on PostgreSQL, and how many may wait. Guesses: each takes milliseconds,
 * so these are for a database that is overloaded.
 */
const READ_DEADLINE = 5_000
const MAX_READS = 500

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
 * PostgreSQL, which answers later, and whose connection blocks its thread. The code of all queries is loaded with the
 * first of them.
 * @param onDamage called when a query found that the file is damaged
 */
export function createQueryRunner(place: StorePlace, onDamage: () => void): QueryRunner {
  const lazyQueries = new LazyValue(async () => {
    const { LocalQueries } = await import('./local-queries.ts')
    return new LocalQueries(place, onDamage)
  })
  let local: LocalQueries | undefined
  const scanThread = new QueryThread(place)
  const readThread =
    place.database === undefined
      ? undefined
      : new QueryThread(place, { deadline: READ_DEADLINE, maxWaiting: MAX_READS, runsTogether: true })

  return {
    queriesFor: (grants) =>
      askByName<Promised<Queries>>(async (name, input) => {
        local ??= await lazyQueries.get()
        if (local.isScan(name, input)) return scanThread.run(name, input, grants)
        return readThread ? readThread.run(name, input, grants) : local.run(name, input, grants)
      }),
    reopen(isAgain) {
      local?.close()
      // Without an attempt that failed, the threads cannot have opened anything else than the writer.
      if (!isAgain) return
      scanThread.restart()
      readThread?.restart()
    },
    async close() {
      local?.close()
      await Promise.all([scanThread.close(), readThread?.close()])
    }
  }
}
