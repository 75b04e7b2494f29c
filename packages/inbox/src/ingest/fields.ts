/** What a client sends is any JSON at all: these say what of it is what it should be. */

export type Fields = Record<string, unknown>

/** @throws SyntaxError where it is no JSON */
export function parseFields(payload: Uint8Array): Fields {
  const value: unknown = JSON.parse(
    Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8')
  )
  if (!isFields(value)) throw new SyntaxError('a JSON object is expected')
  return value
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member that is an object; an empty one otherwise. */
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Text without NUL and half characters, cut; undefined for what is no text, or empty. */
export function textOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value === '') return undefined
  const cut = value.length > maxLength ? `${value.slice(0, maxLength)}…` : value
  return cut.replaceAll('\0', '').toWellFormed() || undefined
}

/** A finite number, also one written as text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A whole number from 0 on, cut off at a thousand million. */
export function countOf(value: unknown): number {
  const number = numberOf(value) ?? 0
  return number > 0 ? Math.min(Math.floor(number), 1e9) : 0
}

/** An id of hex digits, in lower case and without dashes; undefined for any other. All zeros is no id. */
export function idOf(value: unknown, length: 16 | 32): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const id = value.replaceAll('-', '').toLowerCase()
  return id.length === length && /^[\da-f]+$/.test(id) && !/^0+$/.test(id) ? id : undefined
}

/** Milliseconds since the epoch, of seconds since then or an ISO date. */
export function timeOf(value: unknown): number | undefined {
  const seconds = numberOf(value)
  if (seconds !== undefined) return seconds * 1_000
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
