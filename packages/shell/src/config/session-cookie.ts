import { hkdfSync } from 'node:crypto'
import { Signer } from '@fastify/cookie'
import { trustedNow } from '@hull/common/trusted-clock.ts'

/** Seconds a session lives after it was last changed: a week. */
export const SESSION_LIFETIME = 7 * 24 * 3600

/** Characters of a session's cookie value; browsers keep 4,096 bytes with name and attributes (RFC 6265 §6.1). */
export const MAX_SESSION_LENGTH = 3_500

/**
 * Signs sessions with a key of their own. A signature does not tell what it was made for: with the secret itself, any
 * other cookie that an application signs could be handed back as a session.
 */
export function createSessionSigner(secret: string): Signer {
  return new Signer(Buffer.from(hkdfSync('sha256', secret, '', 'hull session', 32)))
}

/** Data and expiry as a cookie value, still to be signed. */
export function writeSession(data: Record<string, unknown>, now = Date.now()): string {
  return Buffer.from(JSON.stringify({ data, until: Math.floor(now / 1000) + SESSION_LIFETIME })).toString('base64url')
}

/** The data in a cookie value whose signature was checked; undefined when it is over, or not ours. */
export function readSession(value: string, now = trustedNow()): Record<string, unknown> | undefined {
  try {
    const { data, until } = JSON.parse(Buffer.from(value, 'base64url').toString()) as {
      data?: unknown
      until?: unknown
    }
    if (typeof until !== 'number' || until * 1000 <= now || typeof data !== 'object' || data === null) return undefined
    return data as Record<string, unknown>
  } catch {
    return undefined
  }
}
