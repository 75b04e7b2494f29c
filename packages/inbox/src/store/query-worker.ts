import { parentPort, workerData } from 'node:worker_threads'
import { InboxTooSlow, InboxUnavailable } from '../errors.ts'
import { toPlainError } from '../plain-error.ts'
import { queries, scans } from '../queries/index.ts'
import type { FromQueryWorker, QuerySettings, ToQueryWorker } from './messages.ts'
import { PostgresError, TOO_SLOW } from './postgres/postgres-error.ts'
import { PostgresStore } from './postgres/postgres-store.ts'
import { openReader } from './reader.ts'
import { toVisibleError } from './store-errors.ts'
import type { Store } from './store.ts'

/*
 * A thread that runs queries, one at a time. SQLite can neither be interrupted nor yield here, so the thread is
 * terminated if a query takes too long.
 */

const TABLE = { ...queries, ...scans } as Record<string, (store: Store, input: unknown) => unknown>

const { deadline, ...place } = workerData as QuerySettings
const port = parentPort!
let opened: Store | undefined

port.on('message', ({ name, input, grants }: ToQueryWorker) => {
  try {
    const store = (opened ??= open())
    post({ kind: 'answer', value: store.runFor(grants, () => TABLE[name]!(store, input)) })
  } catch (error) {
    post({ kind: 'failed', error: toPlainError(isTooSlow(error) ? new InboxTooSlow() : toVisibleError(error)) })
    // The next query connects again.
    if (opened instanceof PostgresStore && opened.isClosed) opened = undefined
  }
})

connect()
post({ kind: 'ready' })

/** Connects to a database. The time that it takes counts as that of the start, not of the first query. */
function connect(): void {
  if (place.database === undefined) return
  try {
    opened = open()
  } catch {
    // The first query tries again, and reports the error.
  }
}

function open(): Store {
  try {
    return openReader(place, deadline)
  } catch (error) {
    throw new InboxUnavailable({ cause: error })
  }
}

const isTooSlow = (error: unknown): boolean => error instanceof PostgresError && error.code === TOO_SLOW

function post(message: FromQueryWorker) {
  port.postMessage(message)
}
