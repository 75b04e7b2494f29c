/*
 * A client sends any JSON at all. These functions read from it the values that are of the right kind, and bound them.
 */

/** What JSON holds, before anybody looked at it. */
export type Raw = Record<string, unknown>

const NOTHING: Raw = Object.freeze({})

/** Levels of objects that are written out as text. SDKs normalise to three. */
const MAX_DEPTH = 5

/** Entries of one list or object that are written out. */
const MAX_ENTRIES = 50

/** @throws Error where it is no JSON, or no object */
export function parseObject(payload: Uint8Array): Raw {
  const value: unknown = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString())
  if (!isObject(value)) throw new TypeError('a JSON object is expected')
  return value
}

export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is no object reads as one without anything in it. */
export const asObject = (value: unknown): Raw => (isObject(value) ? value : NOTHING)

export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** SDKs of different age send a list, or an object with `values`; some a single one. */
export function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const { values } = asObject(value)
  if (Array.isArray(values)) return values
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? [value] : []
}

/**
 * A text that can be stored and shown anywhere: no longer than `max` characters, without halves of characters, and
 * without NUL, at which SQLite's own functions stop.
 */
export function clean(text: string, max: number): string {
  const short = text.length > max ? `${text.slice(0, max - 1)}…` : text
  return short.toWellFormed().replaceAll('\0', '\ufffd')
}

/** A string or number as text; undefined for anything else, and for nothing but space. */
export function toText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = clean(String(value), max)
  return text.trim() === '' ? undefined : text
}

/** Anything as text: objects as JSON, cut where they are deep, wide or long. */
export function toDisplay(value: unknown, max: number): string {
  if (typeof value === 'string') return clean(value, max)
  return clean(write(value, { left: max }, 0), max)
}

function write(value: unknown, budget: { left: number }, depth: number): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(typeof value === 'string' ? value.slice(0, Math.max(budget.left, 0)) : value) ?? ''
    budget.left -= text.length
    return text
  }
  const isList = Array.isArray(value)
  if (depth === MAX_DEPTH || budget.left <= 0) return '…'
  const parts: string[] = []
  for (const [index, [name, inner]] of Object.entries(value).entries()) {
    if (index === MAX_ENTRIES || budget.left <= 0) {
      parts.push('…')
      break
    }
    const before = isList ? '' : `${JSON.stringify(name.slice(0, 200))}:`
    budget.left -= before.length + 1
    parts.push(before + write(inner, budget, depth + 1))
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

export interface RecordBounds {
  entries: number
  name: number
  value: number
}

/** An object of texts. `__proto__` is left out: whoever copies it later might not be careful. */
export function toTexts(
  value: unknown,
  { entries, name: maxName, value: maxValue }: RecordBounds
): Record<string, string> {
  const texts: [string, string][] = []
  for (const [name, inner] of Object.entries(asObject(value))) {
    if (texts.length === entries) break
    if (name === '__proto__' || inner === undefined || inner === null) continue
    texts.push([clean(name, maxName), toDisplay(inner, maxValue)])
  }
  return Object.fromEntries(texts)
}

/** Names with values, as a list of pairs or an object; nothing twice. */
export function toPairs(value: unknown, { entries, name: maxName, value: maxValue }: RecordBounds): [string, string][] {
  const pairs = new Map<string, string>()
  for (const entry of Array.isArray(value) ? value : Object.entries(asObject(value))) {
    if (pairs.size === entries) break
    const [rawName, rawValue] = Array.isArray(entry) ? entry : [asObject(entry).key, asObject(entry).value]
    const name = toText(rawName, maxName)
    if (name === undefined || name === '__proto__' || rawValue === undefined || rawValue === null) continue
    if (!pairs.has(name)) pairs.set(name, toDisplay(rawValue, maxValue))
  }
  return [...pairs]
}

/** A whole number from 1, as lines and columns are; undefined for anything else. */
export const toPlace = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= 1_000_000_000 ? value : undefined

/** A finite number, also one written as text. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** A whole number from 0 on, cut off at a thousand million. */
export function toCount(value: unknown): number {
  const number = toNumber(value) ?? 0
  return number > 0 ? Math.min(Math.floor(number), 1e9) : 0
}

/** An id of hex digits, in lower case and without dashes; undefined for any other. All zeros is no id. */
export function toId(value: unknown, length: 16 | 32): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const id = value.replaceAll('-', '').toLowerCase()
  return id.length === length && /^[\da-f]+$/.test(id) && !/^0+$/.test(id) ? id : undefined
}

/** Milliseconds since the epoch, of seconds since then or an ISO date. */
export function toTime(value: unknown): number | undefined {
  const seconds = toNumber(value)
  if (seconds !== undefined) return seconds * 1_000
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
