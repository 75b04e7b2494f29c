import { setTimeout as sleep } from 'node:timers/promises'

/** Whether `work` completes within `ms` milliseconds. Rejects if `work` does. */
export async function completesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
