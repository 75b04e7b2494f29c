import { handleRejection } from '../server/handled-promise.ts'
import { isThenable } from '@hull/common/is-thenable.ts'

/** Levels of nesting past which the slow codec decides; JSON.stringify overflows the stack at several thousand. */
const MAX_PLAIN_DEPTH = 500

/**
 * Elements up to which an array is searched for properties that are no elements, such as `index` of a RegExp match. A
 * guess: names of elements are made for it, which takes as long as JSON.stringify does.
 */
const MAX_NAMED_LENGTH = 100

/** Objects in which promises are looked for. A guess: data that leads into a whole application is refused anyway. */
const MAX_SEARCHED = 100_000

/**
 * Looks at what a getData returned, once. Promises anywhere in it get a listener: they may reject before anybody asks
 * for them.
 * @returns whether it is a plain tree, which JSON carries unchanged
 */
export function inspectData(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return isPlainValue(data)
  try {
    if (isPlainTree(data, new Set(), 0)) return true
  } catch {
    // A getter or a proxy: the codec that comes next says where.
  }
  handleAll(data)
  return false
}

/**
 * Whether JSON carries the value there and back unchanged. The loops are written out: this runs over every value of
 * every page's data.
 */
function isPlainTree(value: object, seen: Set<object>, depth: number): boolean {
  if (depth > MAX_PLAIN_DEPTH) return false
  // Adding tells whether it was there: asking first would be a second search.
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
    // A getter may give another promise when it is read again.
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

/** Whether an array has properties that are no elements. */
export function hasMoreThanElements(array: unknown[]): boolean {
  if (Object.getOwnPropertySymbols(array).length > 0) return true
  if (array.length > MAX_NAMED_LENGTH) return false
  for (const name of Object.getOwnPropertyNames(array))
    if (name !== 'length' && !(Number(name) < array.length)) return true
  return false
}

/** Gives every promise below a value a listener. A list of its own and no recursion: data may be deep, and cyclic. */
function handleAll(data: object): void {
  const seen = new Set<unknown>([data])
  for (const value of seen) {
    if (typeof value !== 'object' || value === null || handleIfPromise(value)) continue
    for (const item of childrenOf(value)) seen.add(item)
    if (seen.size > MAX_SEARCHED) return
  }
}

/** Not what is only like a promise: a query that is begun by `then` would be begun here. */
function handleIfPromise(value: object): boolean {
  if (!isThenable(value)) return false
  if (value instanceof Promise) handleRejection(value)
  return true
}

/** All that an object holds, whether it can be sent or not; getters are not called. */
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
