import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { LINK_SHOWN } from './times.ts'
import { hashToken } from './tokens.ts'

/** A token, and the time until which it is shown. */
type FreshToken = [token: string, until: number]

/** More than a person creates in ten minutes. A cookie has room for twice as many. The oldest are removed first. */
const MAX_TOKENS = 20

/** Bytes of the initialization vector and of the authentication tag (NIST SP 800-38D). */
const IV = 12
const TAG = 16

/**
 * Keeps the tokens of new invitations and programs while they are shown to the person who created them. The store only
 * has hashes. The tokens are in an encrypted cookie, because the next request may reach another replica.
 */
export function createFreshTokens(secret: string, now: () => number = Date.now) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'inbox fresh tokens', 32))

  return {
    /** Returns the cookie with one more token. @param cookie the present one */
    add(person: number, token: string, cookie: string | undefined): string {
      const tokens = [...open(person, cookie), [token, now() + LINK_SHOWN]].slice(-MAX_TOKENS)
      const iv = randomBytes(IV)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(String(person)))
      const text = Buffer.concat([cipher.update(JSON.stringify(tokens)), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    /** Tokens in the cookie by hash; none if it is another person's. */
    of: (person: number, cookie: string | undefined): ReadonlyMap<string, string> =>
      new Map(open(person, cookie).map(([token]) => [hashToken(token), token]))
  }

  function open(person: number, cookie: string | undefined): FreshToken[] {
    const sealed = Buffer.from(cookie ?? '', 'base64url')
    if (sealed.length < IV + TAG) return []
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV), { authTagLength: TAG })
      .setAAD(Buffer.from(String(person)))
      .setAuthTag(sealed.subarray(IV, IV + TAG))
    try {
      const text = decipher.update(sealed.subarray(IV + TAG), undefined, 'utf8') + decipher.final('utf8')
      return (JSON.parse(text) as FreshToken[]).filter(([, until]) => until > now())
    } catch {
      // Of another person, or encrypted with an earlier secret.
      return []
    }
  }
}
