import type { Clock } from '../../monitoring/src/delivery/clock.ts'

export interface TestClock extends Clock {
  /** Lets `ms` milliseconds pass; what is due by then is run. */
  advance: (ms: number) => void
  /** Lets `ms` milliseconds pass, and runs nothing: the process is busy. */
  pass: (ms: number) => void
  /** Sets the wall clock ahead, or back, while no time passes. */
  step: (ms: number) => void
}

/** Time that stands still until it is told to pass. */
export function createClock(start = Date.now()): TestClock {
  let now = start
  let set = 0
  const timers = new Set<{ at: number; fn: () => void }>()
  return {
    now: () => now,
    wall: () => now + set,
    after(ms, fn) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pass(ms) {
      now += ms
    },
    step(ms) {
      set += ms
    },
    advance(ms) {
      now += ms
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at <= now && timers.delete(timer)) timer.fn()
      }
    }
  }
}
