import { parentPort, workerData } from 'node:worker_threads'
import { openInboxReader } from './file.ts'
import type { FromQueryWorker, ToQueryWorker } from './messages.ts'
import { toPlainError } from '../plain-error.ts'
import { scans } from '../queries/index.ts'
import { SqliteStore } from './sqlite-store.ts'
import type { Store } from './store.ts'

/*
 * The thread that runs slow queries. SQLite can neither be interrupted nor yield here, so the thread is terminated if a
 * query takes too long.
 */

const port = parentPort!
let opened: Store | undefined

port.on('message', ({ name, input, grants }: ToQueryWorker) => {
  try {
    const store = (opened ??= new SqliteStore(openInboxReader(workerData.file)))
    const scan = (scans as Record<string, (store: Store, input: unknown) => unknown>)[name]!
    post({ kind: 'answer', value: store.runFor(grants, () => scan(store, input)) })
  } catch (error) {
    post({ kind: 'failed', error: toPlainError(error) })
  }
})

post({ kind: 'ready' })

function post(message: FromQueryWorker) {
  port.postMessage(message)
}
