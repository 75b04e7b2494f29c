import { DAY, HOUR, MINUTE } from './time.ts'

/**
 * Maximum difference between wall clock and elapsed time, in milliseconds: NTP corrects that much in small steps.
 * Our choice.
 */
const TOLERANCE = MINUTE

/** Milliseconds after which a persistent jump of the wall clock is accepted. A guess: it is noticed by then. */
const ACCEPT_AFTER = 6 * HOUR

export interface TrustedClockOptions {
  /** The machine's milliseconds since the epoch. @default Date.now */
  wall?: () => number
  /** Milliseconds on a monotonic clock. @default performance.now */
  steady?: () => number
  /**
   * Milliseconds since the epoch when the clock was last used, before a restart. If the wall clock is more than a day
   * ahead of it, that counts as a jump.
   * @default unknown
   */
  lastSeen?: number
  /** Called when a jump begins, and with 0 when it has ended or is accepted. @param jump milliseconds */
  onJump?: (jump: number) => void
}

export interface TrustedClock {
  /**
   * Milliseconds since the epoch, for deletion and expiry. Until a jump is accepted, this is the earlier of the wall
   * clock and the elapsed time, so that nothing expires too soon.
   */
  now: () => number
  /**
   * Milliseconds since the epoch, for what must not be too late. Until a jump is accepted, this is the later of the wall
   * clock and the elapsed time.
   */
  latest: () => number
  /** Milliseconds of a jump of the wall clock that is not accepted yet; otherwise 0. */
  readonly jump: number
}

/** Maximum milliseconds of a restart that does not count as a jump. A guess. */
const MAX_DOWNTIME = DAY

/**
 * Creates a clock for deletion and expiry. With the plain wall clock, a wrong time for a few seconds would delete
 * everything as too old, and end every session.
 * @see docs/decisions/046-clocks.md
 */
export function createTrustedClock({
  wall = Date.now,
  steady = () => performance.now(),
  lastSeen,
  onJump = () => {}
}: TrustedClockOptions = {}): TrustedClock {
  const start = wall()
  let offset = (lastSeen !== undefined && start - lastSeen > MAX_DOWNTIME ? lastSeen : start) - steady()
  let jump = 0
  let since = 0

  /** @returns the wall clock and the elapsed time, both in milliseconds since the epoch */
  function update(): [wall: number, elapsed: number] {
    const time = wall()
    const passed = steady()
    const difference = time - passed - offset
    if (Math.abs(difference) <= TOLERANCE || (jump !== 0 && passed - since >= ACCEPT_AFTER)) {
      offset += difference
      if (jump !== 0) setJump(0)
    } else if (jump === 0 || Math.abs(difference - jump) > TOLERANCE) {
      since = passed
      setJump(difference)
    }
    // PostgreSQL refuses fractions of a millisecond, which the monotonic clock has.
    return [time, Math.round(passed + offset)]
  }

  function setJump(next: number) {
    jump = Math.round(next)
    onJump(jump)
  }

  return {
    now: () => Math.min(...update()),
    latest: () => Math.max(...update()),
    get jump() {
      update()
      return jump
    }
  }
}

/** Clock of this thread. */
const shared = createTrustedClock()

/** Milliseconds since the epoch for expiry, see {@link TrustedClock.now}. */
export const trustedNow = (): number => shared.now()

/** Milliseconds since the epoch that no reader's {@link trustedNow} exceeds, see {@link TrustedClock.latest}. */
export const trustedLatest = (): number => shared.latest()
