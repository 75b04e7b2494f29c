import { safeCallback } from '@hull/common/safe-callback.ts'

/** Maximum delay of a Node timer in milliseconds. With a longer delay, the timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Clock for deliveries; tests set their own. */
export interface Clock {
  /** Milliseconds on a monotonic clock, for scheduling. */
  now: () => number
  /** Milliseconds since the epoch, for stored and sent times. */
  wall: () => number
  /**
   * Runs `fn` once, after `ms` milliseconds or earlier, so `fn` must check {@link now}.
   * @returns function that cancels the timer
   */
  after: (ms: number, fn: () => void) => () => void
}

/** The machine's clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  // Counts from the epoch, so that a comparison with retry times of an earlier process does no harm.
  now: () => performance.timeOrigin + performance.now(),
  wall: Date.now,
  after(ms, fn) {
    const timer = setTimeout(safeCallback(fn), Math.min(ms, LONGEST_TIMER)).unref()
    return () => clearTimeout(timer)
  }
}
