/** Crockford's base 32: no letter that reads as a digit, so a digest can be told over the phone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The name of one failure, for whoever quotes it: twelve characters, 60 random bits. Made on both sides. */
export function createDigest(): string {
  let digest = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(12))) digest += ALPHABET[byte & 31]
  return digest
}

/** Whether a text has the form of a digest. */
export const isDigest = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{12}$/.test(text)
