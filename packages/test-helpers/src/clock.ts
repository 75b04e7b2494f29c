import type { Clock } from '../../monitoring/src/delivery/clock.ts'

export interface TestClock extends Clock {
  /** Advances the time by `ms` milliseconds, and runs the timers that are due. */
  advance: (ms: number) => void
  /** Advances the time by `ms` milliseconds without running timers, as in a blocked process. */
  pass: (ms: number) => void
  /** Changes the wall clock by `ms` milliseconds, while no time passes. */
  step: (ms: number) => void
}

/** A clock that changes only when the test advances it. */
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
