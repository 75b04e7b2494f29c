import { randomBytes } from 'node:crypto'

/**
 * Random bytes to generate and format at once, because each call costs more than its bytes. A stored id may keep all of
 * them in memory.
 */
const DRAWN = 512

let pool = ''
let used = 0

/** 16 random bytes in lower-case hexadecimal; never all zero. */
export const createTraceId = (): string => randomHex(16)

/** 8 random bytes in lower-case hexadecimal; never all zero. */
export const createSpanId = (): string => randomHex(8)

const ZERO = '0'.repeat(32)

/** W3C Trace Context §3.2.2.3 and §3.2.2.4: an id with only zeros is invalid. */
export const isZero = (id: string): boolean => ZERO.startsWith(id)

function randomHex(bytes: number): string {
  if (used + 2 * bytes > pool.length) {
    pool = randomBytes(DRAWN).toString('hex')
    used = 0
  }
  const id = pool.slice(used, (used += 2 * bytes))
  return isZero(id) ? randomHex(bytes) : id
}
