import { stringify, DevalueError } from 'devalue'
import { isThenable } from '../is-thenable.ts'
import { PayloadTooLarge, PayloadUnserialisable } from '../errors.ts'
import { LATE_KEY, type Codec, type PagePayload } from '../common/payload.ts'

/** Characters of one encoded payload. A guess: a page that needs more wants another address to fetch it from. */
export const MAX_PAYLOAD_LENGTH = 8 * 1024 * 1024

export interface EncodedPayload {
  codec: Codec
  text: string
  /** Promises found in the data; the id in the payload is the place here, counted from 1. */
  late: Array<Promise<unknown>>
}

/**
 * Encodes a payload: as JSON where the data is a plain tree (a fifth of the cost), else by devalue.
 * @param plain whether {@link inspectData} found all of its data plain
 * @throws PayloadUnserialisable naming the path of a function, symbol, class instance or `__proto__` key
 * @throws PayloadTooLarge past {@link MAX_PAYLOAD_LENGTH}
 */
export function encodePayload(payload: PagePayload, plain: boolean): EncodedPayload {
  const late: Array<Promise<unknown>> = []
  const text = plain ? JSON.stringify(payload) : encodeValue(payload, late)
  if (text.length > MAX_PAYLOAD_LENGTH) throw new PayloadTooLarge(text.length, MAX_PAYLOAD_LENGTH)
  return { codec: plain ? 'json' : 'devalue', text, late }
}

/**
 * Looks at what a getData returned, once. Promises anywhere in it get a listener: they may reject before anybody asks
 * for them, and an unhandled rejection would end the process.
 * @returns whether it is a plain tree
 */
export function inspectData(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return isPlainValue(data)
  if (isPlainTree(data, new Set(), 0)) return true
  observeAll(data)
  return false
}

/** Gives every promise below a value a listener. A list of its own and no recursion: data may be deep, and cyclic. */
function observeAll(data: object): void {
  const seen = new Set<unknown>([data])
  for (const value of seen) {
    if (isThenable(value)) observe(value)
    else if (typeof value === 'object' && value !== null) for (const item of childrenOf(value)) seen.add(item)
  }
}

function childrenOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()]
  return value instanceof Set ? value : Object.values(value)
}

/** Encodes any value by devalue, collecting the promises in it. */
export function encodeValue(value: unknown, late: Array<Promise<unknown>>): string {
  try {
    return stringify(value, {
      [LATE_KEY]: (item: unknown) => isThenable(item) && late.push(observe(item))
    })
  } catch (error) {
    if (error instanceof DevalueError)
      throw new PayloadUnserialisable(error.path || 'the top', error.message, { cause: error })
    if (error instanceof RangeError)
      throw new PayloadUnserialisable('the top', 'it is nested too deep', { cause: error })
    throw error
  }
}

/** Characters from which on the careful way of escaping is the faster one, should all of them be `<`. Measured. */
const LARGE_TEXT = 256 * 1024

/**
 * Makes JSON safe inside a script element: no `</script`, `<!--` or `<script` is left (HTML, script data states). Every
 * `<` is escaped, three times as fast as only those that must be; in a large text only those.
 */
export function escapeScript(text: string): string {
  return text.length < LARGE_TEXT ? text.replaceAll('<', '\\u003C') : text.replace(/<(?=[/!sS])/g, '\\u003C')
}

/** From here on a rejection has a listener, so that a page that fails first does not end the process. */
export function observe<T>(promise: PromiseLike<T>): Promise<T> {
  const observed = Promise.resolve(promise)
  observed.catch(() => {})
  return observed
}

/** Levels of nesting past which the slow codec decides; JSON.stringify overflows the stack at several thousand. */
const MAX_PLAIN_DEPTH = 500

/**
 * Whether JSON carries the value there and back unchanged. The loops are written out: this runs over every value of
 * every page's data.
 */
function isPlainTree(value: object, seen: Set<object>, depth: number): boolean {
  if (depth > MAX_PLAIN_DEPTH) return false
  // Adding tells whether it was there: asking first would be a second search.
  const { size } = seen
  if (seen.add(value).size === size) return false
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      if (typeof item === 'string') continue
      if (typeof item === 'object' && item !== null ? !isPlainTree(item, seen, depth + 1) : !isPlainValue(item))
        return false
    }
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const key in value) {
    if (key === '__proto__') return false
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'string') continue
    if (typeof item === 'object' && item !== null ? !isPlainTree(item, seen, depth + 1) : !isPlainValue(item))
      return false
  }
  return true
}

function isPlainValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  return value === null || typeof value === 'string' || typeof value === 'boolean'
}
