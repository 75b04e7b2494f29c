import { handleRejection } from '../server/handled-promise.ts'
import { isThenable } from '@hull/common/is-thenable.ts'

/**
 * Maximum depth for the fast codec; deeper data uses the slow one. JSON.stringify overflows the stack at several
 * thousand.
 */
const MAX_PLAIN_DEPTH = 500

/**
 * Maximum length of an array that is checked for properties other than elements, such as `index` of a RegExp match. A
 * guess: the check creates the names of all elements, which takes as long as JSON.stringify.
 */
const MAX_NAMED_LENGTH = 100

/** Maximum objects searched for promises. A guess: data that refers to a whole application is refused anyway. */
const MAX_SEARCHED = 100_000

/**
 * Inspects the result of a getData, once. Adds a rejection listener to all promises in it, because they may reject
 * before they are awaited.
 * @returns true if the data is a plain tree, which JSON carries unchanged
 */
export function inspectData(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return isPlainValue(data)
  try {
    if (isPlainTree(data, new Set(), 0)) return true
  } catch {
    // A getter or a proxy threw: the slow codec reports where.
  }
  handleAll(data)
  return false
}

/**
 * Whether the value survives JSON unchanged. The loops are written out because this runs over every value of every
 * page's data.
 */
function isPlainTree(value: object, seen: Set<object>, depth: number): boolean {
  if (depth > MAX_PLAIN_DEPTH) return false
  // Comparing sizes around add() avoids a second look-up by has().
  const { size } = seen
  if (seen.add(value).size === size) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (Array.isArray(value)) {
    if (prototype !== Array.prototype || hasMoreThanElements(value)) return false
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      if (typeof item === 'string') continue
      if (typeof item === 'object' && item !== null ? !isPlainTree(item, seen, depth + 1) : !isPlainValue(item))
        return false
    }
    return true
  }
  if (prototype !== Object.prototype) {
    // A getter may return another promise the next time.
    handleIfPromise(value)
    return false
  }
  let count = 0
  for (const key in value) {
    if (key === '__proto__') return false
    count++
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'string') continue
    if (typeof item === 'object' && item !== null ? !isPlainTree(item, seen, depth + 1) : !isPlainValue(item))
      return false
  }
  return count === Object.getOwnPropertyNames(value).length && Object.getOwnPropertySymbols(value).length === 0
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}

/**
 * Whether an array has enumerable properties other than its elements. `Reflect.ownKeys` would find all, in three times
 * the time, which is 2 % of the request for a page of fifty items that each contain a list.
 */
export function hasMoreThanElements(array: unknown[]): boolean {
  if (Object.getOwnPropertySymbols(array).length > 0) return true
  if (array.length > MAX_NAMED_LENGTH) return false
  // The indices are first, then the names.
  const last = Object.keys(array).at(-1)
  return last !== undefined && !isIndex(last)
}

const isIndex = (key: string): boolean => String(Number(key) >>> 0) === key

/**
 * Adds a rejection listener to every promise below a value. Uses a list instead of recursion: data may be deep, and
 * cyclic.
 */
function handleAll(data: object): void {
  const seen = new Set<unknown>([data])
  for (const value of seen) {
    if (typeof value !== 'object' || value === null || handleIfPromise(value)) continue
    for (const item of childrenOf(value)) seen.add(item)
    if (seen.size > MAX_SEARCHED) return
  }
}

/** Skips other thenables: some queries start when `then` is called. */
function handleIfPromise(value: object): boolean {
  if (!isThenable(value)) return false
  if (value instanceof Promise) handleRejection(value)
  return true
}

/** Returns everything that an object contains, even if it cannot be sent. Does not call getters. */
function childrenOf(value: object): Iterable<unknown> {
  try {
    if (value instanceof Map) return [...value.keys(), ...value.values()]
    if (value instanceof Set || Array.isArray(value)) return value
    if (ArrayBuffer.isView(value)) return []
    return Reflect.ownKeys(value).map((key): unknown => Object.getOwnPropertyDescriptor(value, key)?.value)
  } catch {
    return []
  }
}
