import { randomBytes } from 'node:crypto'

/** Random bytes drawn and written at a time: each call costs more than its bytes. An id may keep that much from being forgotten. */
const DRAWN = 512

let pool = ''
let used = 0

/** 16 random bytes in lower-case hexadecimal; never all zero. */
export const createTraceId = (): string => randomHex(16)

/** 8 random bytes in lower-case hexadecimal; never all zero. */
export const createSpanId = (): string => randomHex(8)

const ZERO = '0'.repeat(32)

/** W3C Trace Context §3.2.2.3 and §3.2.2.4: an id of zeros alone is invalid. */
export const isZero = (id: string): boolean => ZERO.startsWith(id)

function randomHex(bytes: number): string {
  if (used + 2 * bytes > pool.length) {
    pool = randomBytes(DRAWN).toString('hex')
    used = 0
  }
  const id = pool.slice(used, (used += 2 * bytes))
  return isZero(id) ? randomHex(bytes) : id
}
