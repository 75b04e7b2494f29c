import { parentPort, workerData } from 'node:worker_threads'
import { InboxTooSlow, InboxUnavailable } from '../errors.ts'
import { toPlainError } from './plain-error.ts'
import { queries, scans } from '../queries/index.ts'
import type { FromQueryWorker, QuerySettings, ToQueryWorker } from './messages.ts'
import { PostgresError, TOO_SLOW } from './postgres/postgres-error.ts'
import { PostgresStore } from './postgres/postgres-store.ts'
import { openReader } from './reader.ts'
import { toVisibleError } from './store-errors.ts'
import type { QueryResult, Store } from './store.ts'

/*
 * A thread that runs lists of queries, one list at a time. SQLite can neither be interrupted nor yield here, so the thread is
 * terminated if a query takes too long.
 */

/** Milliseconds after a failed attempt to open the store in which queries fail, too. Those that waited have waited enough. */
const RETRY_DELAY = 1_000

const TABLE = { ...queries, ...scans } as Record<string, (store: Store, input: unknown) => unknown>

const { deadline, ...place } = workerData as QuerySettings
const port = parentPort!
let opened: Store | undefined
let failure: { error: Error; at: number } | undefined

port.on('message', (queries: ToQueryWorker) => {
  for (const result of run(queries)) {
    if ('error' in result) post({ kind: 'failed', error: toPlainError(toVisible(result.error)) })
    else post({ kind: 'answer', value: result.value })
  }
  // The next query connects again.
  if (opened instanceof PostgresStore && opened.isClosed) opened = undefined
})

function run(queries: ToQueryWorker): QueryResult<unknown>[] {
  try {
    const store = (opened ??= open())
    return store.runAll(queries.map(({ name, input, grants }) => ({ grants, query: () => TABLE[name]!(store, input) })))
  } catch (error) {
    return queries.map(() => ({ error }))
  }
}

connect()
post({ kind: 'ready' })

/** Connects to a database. The time that it takes counts as that of the start, not of the first query. */
function connect(): void {
  if (place.database === undefined) return
  try {
    opened = open()
  } catch {
    // A query reports the error, and tries again after a moment.
  }
}

function open(): Store {
  if (failure !== undefined && performance.now() - failure.at < RETRY_DELAY) throw failure.error
  try {
    return openReader(place, deadline)
  } catch (cause) {
    const error = new InboxUnavailable({ cause })
    failure = { error, at: performance.now() }
    throw error
  }
}

const toVisible = (error: unknown): unknown =>
  error instanceof PostgresError && error.code === TOO_SLOW ? new InboxTooSlow() : toVisibleError(error)

function post(message: FromQueryWorker) {
  port.postMessage(message)
}
