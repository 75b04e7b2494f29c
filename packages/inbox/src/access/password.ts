import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Compares a text with the password in constant time. Does not use a slow hash: the password is in the environment as
 * plain text, so no stored hash needs protection, and a hash that takes 100 ms would let attackers keep the server
 * busy. {@link createSignInThrottle} limits guessing.
 */
export function createPasswordCheck(password: string): (given: string) => boolean {
  const key = randomBytes(32)
  // The same letters can be composed in several ways.
  const hash = (text: string) => createHmac('sha256', key).update(text.normalize('NFC')).digest()
  const expected = hash(password)
  return (given) => timingSafeEqual(hash(given), expected)
}

/**
 * Keyed fingerprint of the password, stored with each session that the password opened, so that the session ends when
 * the password changes. Without the secret, a copy of the inbox reveals nothing about the password.
 * @param secret signs the application's sessions
 */
export function fingerprintPassword(password: string, secret: string): string {
  // The prefix separates this use of the secret from all others.
  return createHmac('sha256', secret)
    .update(`inbox password\0${password.normalize('NFC')}`)
    .digest('base64url')
}
