import { randomFillSync } from 'node:crypto'

/** Random bytes drawn at a time: a draw costs more than the bytes. */
const pool = Buffer.allocUnsafe(4096)
let used = pool.length

/** 16 random bytes in lower-case hexadecimal; never all zero. */
export const createTraceId = (): string => randomHex(16)

/** 8 random bytes in lower-case hexadecimal; never all zero. */
export const createSpanId = (): string => randomHex(8)

const ZERO = '0'.repeat(32)

/** W3C Trace Context §3.2.2.3 and §3.2.2.4: an id of zeros alone is invalid. */
export const isZero = (id: string): boolean => ZERO.startsWith(id)

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const id = pool.toString('hex', used, (used += bytes))
  return isZero(id) ? randomHex(bytes) : id
}
