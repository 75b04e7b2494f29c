import { randomBytes } from 'node:crypto'

/** Crockford's base 32: no letter that reads as a digit, so a digest can be told over the phone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Twelve characters, 60 random bits: unique across processes and restarts. */
export function createDigest(): string {
  let digest = ''
  for (const byte of randomBytes(12)) digest += ALPHABET[byte & 31]
  return digest
}
