import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Tells whether a text is the password, in a time that says nothing about either. No slow hash: the password is in the
 * environment in plain text, so there is no stored hash to protect, and a hash of 100 ms would let anybody keep the
 * server busy by trying. {@link createSignInThrottle} is what slows down guessing.
 */
export function createPasswordCheck(password: string): (given: string) => boolean {
  const key = randomBytes(32)
  // The same letters can be composed in more than one way.
  const hash = (text: string) => createHmac('sha256', key).update(text.normalize('NFC')).digest()
  const expected = hash(password)
  return (given) => timingSafeEqual(hash(given), expected)
}

/**
 * Keyed fingerprint of the password, stored with the sessions that it opens: a session ends when the password changes.
 * A copy of the inbox without the secret says nothing about the password.
 * @param secret signs the application's sessions
 */
export function fingerprintPassword(password: string, secret: string): string {
  // The prefix keeps this use of the secret apart from all others.
  return createHmac('sha256', secret)
    .update(`inbox password\0${password.normalize('NFC')}`)
    .digest('base64url')
}
