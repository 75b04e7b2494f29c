import { safeCallback } from '@hull/common/safe-callback.ts'

/** Past this many milliseconds a timer of Node's would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Time as delivery sees it; a test has one that it can set. */
export interface Clock {
  /** Milliseconds on a clock that nobody sets, to schedule by. */
  now: () => number
  /** Milliseconds since the epoch, to write down and to tell others. */
  wall: () => number
  /** Runs `fn` once, `ms` milliseconds from now or earlier: it looks at {@link now} itself. @returns what cancels it */
  after: (ms: number, fn: () => void) => () => void
}

/** The machine's clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  // From the epoch on: it is compared with retry times of an earlier process, which is of no harm.
  now: () => performance.timeOrigin + performance.now(),
  wall: Date.now,
  after(ms, fn) {
    const timer = setTimeout(safeCallback(fn), Math.min(ms, LONGEST_TIMER)).unref()
    return () => clearTimeout(timer)
  }
}
