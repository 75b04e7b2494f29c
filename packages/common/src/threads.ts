import type { Worker } from 'node:worker_threads'
import { safeCallback } from './safe-callback.ts'

const threads = new Set<Worker>()

/** Adds a worker to the process's threads until it has ended. */
export function trackThread(worker: Worker): Worker {
  threads.add(worker)
  worker.once(
    'exit',
    safeCallback(() => threads.delete(worker))
  )
  return worker
}

/** Number of threads that have not ended. */
export const countThreads = (): number => threads.size

/**
 * Resolves when all threads have ended. A thread inside SQLite, or waiting for a disk, ends only after that call
 * returns.
 */
export async function terminateThreads(): Promise<void> {
  await Promise.all([...threads].map((worker) => worker.terminate()))
}
