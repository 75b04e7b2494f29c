import { parentPort, workerData } from 'node:worker_threads'
import { openInboxReader } from './file.ts'
import type { FromScanWorker } from './messages.ts'
import { toPlainError } from '../plain-error.ts'
import { scans } from '../queries/index.ts'
import { Store } from './store.ts'

/*
 * The thread that runs slow queries. SQLite can neither be interrupted nor yield here, so the thread is terminated if a
 * query takes too long.
 */

const port = parentPort!
let store: Store | undefined

port.on('message', ({ name, input }: { name: string; input: unknown }) => {
  try {
    store ??= new Store(openInboxReader(workerData.file))
    const scan = (scans as Record<string, (store: Store, input: unknown) => unknown>)[name]!
    post({ kind: 'answer', value: scan(store, input) })
  } catch (error) {
    post({ kind: 'failed', error: toPlainError(error) })
  }
})

post({ kind: 'ready' })

function post(message: FromScanWorker) {
  port.postMessage(message)
}
