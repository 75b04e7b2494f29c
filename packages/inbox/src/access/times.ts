import { DAY, HOUR, MINUTE } from '@hull/common/time.ts'

/** Milliseconds without use after which a session expires. */
export const SESSION_IDLE = 30 * DAY

/**
 * Milliseconds after which a person of the sign-in service signs in again, so that a change of groups there takes effect.
 * A guess: a working day.
 */
export const EXTERNAL_SESSION = 12 * HOUR

/** Milliseconds for which the audit log is kept: a year and a month. */
export const AUDIT_AGE = 400 * DAY

/** Milliseconds between updates of a session's last use, so that not every request writes to the store. */
const TOUCH_INTERVAL = 10 * MINUTE

/**
 * Whether to record another use of a session or token. Also true if the recorded time is that much later than now,
 * because the clock was set back.
 */
export const isTouchDue = (lastUse: number, now: number): boolean => Math.abs(now - lastUse) >= TOUCH_INTERVAL

/** Milliseconds during which an invitation can be accepted. */
export const INVITATION_LIFETIME = 7 * DAY

/** Milliseconds during which the creator of an invitation can see its link. Then only the hash is kept. */
export const LINK_SHOWN = 10 * MINUTE

/** Milliseconds during which the link printed at a local start is valid. */
export const SIGN_IN_LINK_LIFETIME = 15 * MINUTE

/** Duration in words, such as `12 seconds`. Rounds minutes up, so that nobody tries too early. */
export function describeWait(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
