import type { Worker } from 'node:worker_threads'
import { safeCallback } from './safe-callback.ts'

const threads = new Set<Worker>()

/** Counts a worker among the threads of the process until it has ended. */
export function trackThread(worker: Worker): Worker {
  threads.add(worker)
  worker.once(
    'exit',
    safeCallback(() => threads.delete(worker))
  )
  return worker
}

/** Threads that have not ended. */
export const countThreads = (): number => threads.size

/** Resolves when all threads have ended: one that is inside SQLite, or waits for a disk, ends only when that returns. */
export async function terminateThreads(): Promise<void> {
  await Promise.all([...threads].map((worker) => worker.terminate()))
}
