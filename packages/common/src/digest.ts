/** Crockford's base 32: no letter looks like a digit, so a digest can be read out over the phone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Creates an id for one failure, which visitors can quote: twelve characters, 60 random bits. Used on the server and in
 * the browser.
 */
export function createDigest(): string {
  let digest = ''
  for (const byte of crypto.getRandomValues(new Uint8Array(12))) digest += ALPHABET[byte & 31]
  return digest
}

/** Whether a text has the form of a digest. */
export const isDigest = (text: string): boolean => /^[0-9A-HJKMNP-TV-Z]{12}$/.test(text)
