import { DAY, MINUTE } from '@hull/common/time.ts'

/** Milliseconds after which a session that nobody used is over. */
export const SESSION_IDLE = 30 * DAY

/** Milliseconds after which a session that is used is noted again. A write for each request would be for nothing. */
export const TOUCH_INTERVAL = 10 * MINUTE

/** Milliseconds in which an invitation can be accepted. */
export const INVITATION_LIFETIME = 7 * DAY

/** Milliseconds for which the link of an invitation is shown to whoever made it; then only its hash is left. */
export const LINK_SHOWN = 10 * MINUTE

/** Milliseconds for which the link that a local start prints is good. */
export const SIGN_IN_LINK_LIFETIME = 15 * MINUTE

/** A wait in words, such as `12 seconds`; minutes are rounded up, so that nobody tries too early. */
export function describeWait(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
