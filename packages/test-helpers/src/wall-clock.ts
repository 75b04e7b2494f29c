import type { Test } from 'tap'

/** Sets the wall clock of this thread until the end of the test. @param by milliseconds */
export function setWallClock(t: Test, by: number): void {
  const { now } = Date
  t.capture(Date, 'now', () => now() + by)
}
