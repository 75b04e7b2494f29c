/** Milliseconds by which the wall clock may differ from the time that went by: what NTP corrects in small steps. Ours. */
const TOLERANCE = 60_000

/** Milliseconds for which a jump of the wall clock has to stand until it is believed. A guess: somebody sees it by then. */
const STANDING = 6 * 3_600_000

export interface TrustedClockOptions {
  /** Milliseconds since the epoch, as the machine has them. @default Date.now */
  wall?: () => number
  /** Milliseconds on a clock that nobody sets. @default performance.now */
  steady?: () => number
  /**
   * Milliseconds since the epoch when this was last in use, before a restart: where the wall clock is more than a day
   * ahead of it, that counts as a jump. @default unknown
   */
  lastSeen?: number
  /** Called when a jump begins, and with 0 when it is over or believed. @param jump milliseconds */
  onJump?: (jump: number) => void
}

export interface TrustedClock {
  /**
   * Milliseconds since the epoch, to delete and expire by. While a jump is not believed it is the earlier of the wall
   * clock and the time that went by: nothing ends too soon.
   */
  now: () => number
  /** Milliseconds by which the wall clock has jumped and is not believed; 0 otherwise. */
  readonly jump: number
}

/** Milliseconds for which a restart may take without being taken for a jump. A guess. */
const MAX_DOWNTIME = 24 * 3_600_000

/**
 * A clock to delete by. A wall clock that is set wrong for seconds would otherwise delete everything as too old, and end
 * every session.
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

  function look(): number {
    const time = wall()
    const passed = steady()
    const difference = time - passed - offset
    if (Math.abs(difference) <= TOLERANCE || (jump !== 0 && passed - since >= STANDING)) {
      offset += difference
      if (jump !== 0) tell(0)
    } else if (jump === 0 || Math.abs(difference - jump) > TOLERANCE) {
      since = passed
      tell(difference)
    }
    return Math.min(time, passed + offset)
  }

  function tell(next: number) {
    jump = Math.round(next)
    onJump(jump)
  }

  return {
    now: look,
    get jump() {
      look()
      return jump
    }
  }
}

/** Of this thread. */
const shared = createTrustedClock()

/** Milliseconds since the epoch, to expire by, see {@link TrustedClock.now}. */
export const trustedNow = (): number => shared.now()
