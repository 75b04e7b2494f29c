/** What JSON holds, before anybody looked at it. */
export type Raw = Record<string, unknown>

const NOTHING: Raw = Object.freeze({})

/** Levels of objects that are written out as text. SDKs normalise to three. */
const MAX_DEPTH = 5

/** Entries of one list or object that are written out. */
const MAX_ENTRIES = 50

/** What is no object reads as one without anything in it. */
export const asObject = (value: unknown): Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : NOTHING

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
