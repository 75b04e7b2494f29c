import { parentPort, workerData } from 'node:worker_threads'
import { InboxTooSlow, InboxUnavailable } from '../errors.ts'
import { toPlainError } from '../plain-error.ts'
import { queries, scans } from '../queries/index.ts'
import type { FromQueryWorker, QuerySettings, ToQueryWorker } from './messages.ts'
import { PostgresError, TOO_SLOW } from './postgres/postgres-error.ts'
import { openReader } from './reader.ts'
import { isStorageError } from './store-errors.ts'
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
    post({ kind: 'failed', error: toPlainError(toQueryError(error)) })
  }
})

post({ kind: 'ready' })

function open(): Store {
  try {
    return openReader(place, deadline)
  } catch (error) {
    throw new InboxUnavailable({ cause: error })
  }
}

/** The next query connects again if the connection is lost. */
function toQueryError(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  if (error.code === TOO_SLOW) return new InboxTooSlow()
  if (!isStorageError(error)) return error
  opened?.close()
  opened = undefined
  return new InboxUnavailable({ cause: error })
}

function post(message: FromQueryWorker) {
  port.postMessage(message)
}
