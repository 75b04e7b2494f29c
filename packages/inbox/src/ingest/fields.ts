import { toVersion } from '../store/projects.ts'
import { removeCredentials, withoutCredential, withoutPairedCredential } from './credentials.ts'

/*
 * Readers of unvalidated JSON. Clients may send anything; these functions return values of the expected type, bounded.
 */

/** An unvalidated JSON object. */
export type Raw = Record<string, unknown>

const NOTHING: Raw = Object.freeze({})

/** Maximum depth of objects that are shown as text. SDKs normalise to three. */
const MAX_DEPTH = 5

/** Maximum entries of a list or object that are shown as text. */
const MAX_ENTRIES = 50

/** Parses a JSON object. @throws Error if the payload is not JSON, or not an object */
export function parseObject(payload: Uint8Array): Raw {
  const value: unknown = JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString())
  if (!isObject(value)) throw new TypeError('a JSON object is expected')
  return value
}

export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the value if it is an object, else an empty object. */
export const asObject = (value: unknown): Raw => (isObject(value) ? value : NOTHING)

export const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Returns a list of entries: SDKs of different versions send a list, an object with `values`, or a single entry. */
export function asList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const { values } = asObject(value)
  if (Array.isArray(values)) return values
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0 ? [value] : []
}

/**
 * Makes a text safe to store and show: at most `max` characters, no lone surrogates, and no NUL, at which SQLite's
 * functions stop.
 */
export function clean(text: string, max: number): string {
  const short = text.length > max ? `${text.slice(0, max - 1)}…` : text
  return short.toWellFormed().replaceAll('\0', '\ufffd')
}

/** Returns a string, number or boolean as text; undefined for other types and for blank text. */
export function toText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const text = clean(String(value), max)
  return text.trim() === '' ? undefined : text
}

/** Like `toText`, without credentials in the text. */
export const toSafeText = (value: unknown, max: number): string | undefined =>
  toText(typeof value === 'string' ? cutText(value, max + 1) : value, max)

/** Returns the version of a release. Longer ones are cut alike, so that all items of a release name the same one. */
export const toRelease = (value: unknown): string | undefined => toVersion(toText(value, 1_000) ?? '') || undefined

/** Returns any value as text, without credentials. Objects become JSON, truncated in depth, width and length. */
export function toDisplay(value: unknown, max: number): string {
  if (typeof value === 'string') return clean(cutText(value, max + 1), max)
  return clean(write(value, { left: max }, 0), max)
}

function write(value: unknown, budget: { left: number }, depth: number): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(typeof value === 'string' ? cutText(value, budget.left) : value) ?? ''
    budget.left -= text.length
    return text
  }
  if (depth === MAX_DEPTH || budget.left <= 0) return '…'
  const isList = Array.isArray(value)
  const parts: string[] = []
  for (const name of isList ? value.keys() : Object.keys(value)) {
    if (parts.length === MAX_ENTRIES || budget.left <= 0) {
      parts.push('…')
      break
    }
    const before = typeof name === 'number' ? '' : `${JSON.stringify(name.slice(0, 200))}:`
    budget.left -= before.length + 1
    const inner = (value as Raw)[name]
    const shown = typeof name === 'number' ? withoutPairedCredential(inner) : withoutCredential(name, inner)
    parts.push(before + write(shown, budget, depth + 1))
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

const cutText = (text: string, max: number): string => removeCredentials(text.slice(0, Math.max(max, 0)))

export interface RecordBounds {
  entries: number
  name: number
  value: number
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Returns the entries of an object as texts, without credentials. Skips `__proto__`, to protect code that copies the
 * result.
 * @param leftOut names of entries that are skipped too
 */
export function toTexts(
  value: unknown,
  { entries, name: maxName, value: maxValue }: RecordBounds,
  leftOut = NONE
): Record<string, string> {
  const texts: [string, string][] = []
  const object = asObject(value)
  for (const name of Object.keys(object)) {
    if (texts.length === entries) break
    const inner = object[name]
    if (name === '__proto__' || leftOut.has(name) || inner === undefined || inner === null) continue
    texts.push([clean(name, maxName), toDisplay(withoutCredential(name, inner), maxValue)])
  }
  return Object.fromEntries(texts)
}

/**
 * Returns pairs of name and value, from a list of pairs or an object. Each name occurs once.
 * @param convert applied to each value before it becomes text
 */
export function toPairs(
  value: unknown,
  { entries, name: maxName, value: maxValue }: RecordBounds,
  convert = (raw: unknown) => raw
): [string, string][] {
  const pairs = new Map<string, string>()
  const object = asObject(value)
  for (const entry of Array.isArray(value) ? value : Object.keys(object)) {
    if (pairs.size === entries) break
    const [rawName, rawValue] = Array.isArray(value) ? toPair(entry) : [entry, object[entry]]
    const name = toText(rawName, maxName)
    if (name === undefined || name === '__proto__' || rawValue === undefined || rawValue === null) continue
    if (!pairs.has(name)) pairs.set(name, toDisplay(convert(rawValue), maxValue))
  }
  return [...pairs]
}

/** Returns name and value of an entry of a list: a pair, or an object with `key` and `value`. */
function toPair(entry: unknown): unknown[] {
  if (Array.isArray(entry)) return entry
  const { key, value } = asObject(entry)
  return [key, value]
}

/** Returns a line or column number: an integer from 1; undefined for anything else. */
export const toPlace = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= 1_000_000_000 ? value : undefined

/** Returns a finite number, parsing numeric strings; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Returns an integer from 0 to a billion; 0 for anything that is not a number. */
export function toCount(value: unknown): number {
  const number = toNumber(value) ?? 0
  return number > 0 ? Math.min(Math.floor(number), 1e9) : 0
}

/** Returns an id of hex digits, in lower case and without dashes; undefined if it is invalid or all zeros. */
export function toId(value: unknown, length: 16 | 32): string | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined
  const id = value.replaceAll('-', '').toLowerCase()
  return id.length === length && /^[\da-f]+$/.test(id) && !/^0+$/.test(id) ? id : undefined
}

/** Maximum milliseconds of a Date before or after the epoch (ECMA-262 §21.4.1.1). */
const MAX_TIME = 8.64e15

/** A date as older SDKs send it: without a zone, in UTC. */
const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/

/** Returns milliseconds since the epoch, from seconds since the epoch or an ISO date; undefined if no Date can have them. */
export function toTime(value: unknown): number | undefined {
  const seconds = toNumber(value)
  const date = typeof value === 'string' ? value : ''
  const time = seconds === undefined ? Date.parse(WITHOUT_ZONE.test(date) ? `${date}Z` : date) : seconds * 1_000
  return Math.abs(time) <= MAX_TIME ? time : undefined
}
