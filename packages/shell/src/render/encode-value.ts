import { types } from 'node:util'
import { DevalueError, stringify } from 'devalue'
import { DEFERRED_KEY } from '../routing/payload.ts'
import { handleRejection } from '../server/handled-promise.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { hasMoreThanElements } from './inspect-data.ts'

/** Returns the number of a promise in the response, or a symbol to refuse it. `REFUSALS` lists the symbols. */
export type NumberPromise = (promise: Promise<unknown>) => number | symbol

/** Error for a value that cannot be sent to the browser unchanged. */
export class ValueRefused extends Error {
  /** Path inside the value: `.items[3].price`; empty at the top. */
  readonly path: string
  /** Kind of the value, for a message. */
  readonly reason: string

  constructor(path: string, reason: string, cause: unknown) {
    super(`${path}: ${reason}`, { cause })
    this.path = path
    this.reason = reason
  }
}

/** Maximum promises in one response, including those in the values of others. A guess: far more than a page shows. */
export const MAX_PROMISES = 1_000

/**
 * Symbols that replace refused values: devalue refuses symbols, and reports their path. The description is the message.
 */
const kGetterFails = Symbol('a property that throws when it is read')
const kGetterPromise = Symbol('a promise that a getter makes: make it a property')
const kForeignPromise = Symbol('a thenable that is no Promise, such as a query that has not begun: await it')
const kFrozenPromise = Symbol('a frozen promise, which React cannot use')
export const kTooManyPromises = Symbol(`one promise more than the ${MAX_PROMISES} that a page may have`)

const REFUSALS = new Set([kGetterFails, kGetterPromise, kForeignPromise, kFrozenPromise, kTooManyPromises])

type TypedArray = Exclude<NodeJS.ArrayBufferView, DataView>

const isUrl = (value: object): value is URL => value instanceof URL && typeof value.href === 'string'

/** Classes whose instances arrive unchanged, each with a check that refuses subclasses, proxies and imitations. */
const KNOWN = new Map<unknown, readonly [tag: string, isGenuine: (value: never) => boolean]>([
  [Array.prototype, ['Array', (value: unknown[]) => !hasMoreThanElements(value)]],
  [Date.prototype, ['Date', (value: Date) => types.isDate(value) && isBare(value)]],
  [Map.prototype, ['Map', (value: object) => types.isMap(value) && isBare(value)]],
  [Set.prototype, ['Set', (value: object) => types.isSet(value) && isBare(value)]],
  [RegExp.prototype, ['RegExp', (value: RegExp) => types.isRegExp(value) && value.lastIndex === 0 && isBare(value, 1)]],
  [URL.prototype, ['URL', (value: object) => isUrl(value)]],
  [URLSearchParams.prototype, ['URLSearchParams', (value: object) => value instanceof URLSearchParams]],
  [ArrayBuffer.prototype, ['ArrayBuffer', (value: object) => types.isArrayBuffer(value) && isBare(value)]],
  [DataView.prototype, ['DataView', (value: object) => types.isDataView(value) && isBare(value)]],
  [Number.prototype, ['Number', (value: object) => types.isNumberObject(value) && isBare(value)]],
  [Boolean.prototype, ['Boolean', (value: object) => types.isBooleanObject(value) && isBare(value)]],
  [BigInt.prototype, ['BigInt', (value: object) => types.isBigIntObject(value) && isBare(value)]],
  [String.prototype, ['String', (value: object) => types.isStringObject(value) && isBare(value, value.length + 1)]],
  ...[
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array
  ].map(({ name, prototype }) => [prototype, [name, (value: object) => types.isTypedArray(value)]] as const)
])

/** Whether an object has no properties except the `own` ones of its class. Others would not arrive. */
const isBare = (value: object, own = 0): boolean => Reflect.ownKeys(value).length === own

/** How devalue inspects values: as by default, but it omits, flattens and misidentifies nothing. */
const OPERATIONS = {
  isThenable: () => false,

  tagOf(value: object): string {
    try {
      const known = KNOWN.get(Object.getPrototypeOf(value))
      return known?.[1](value as never) ? known[0] : 'Object'
    } catch {
      return 'Object'
    }
  },

  shapeOf(value: object) {
    try {
      const prototype: unknown = Object.getPrototypeOf(value)
      if (!isPlainPrototype(prototype)) return { kind: 'not-plain' }
      const keys = Object.keys(value)
      if (Reflect.ownKeys(value).length !== keys.length) return { kind: 'symbol-keys' }
      return { kind: prototype === null ? 'null-proto' : 'plain', keys }
    } catch {
      return { kind: 'not-plain' }
    }
  },

  get(value: Record<PropertyKey, unknown>, key: PropertyKey): unknown {
    try {
      const item = value[key]
      if (!isThenable(item) || Object.getOwnPropertyDescriptor(value, key)?.get === undefined) return item
      if (item instanceof Promise) handleRejection(item)
      return kGetterPromise
    } catch {
      return kGetterFails
    }
  },

  /** Copies the view's own bytes only: Node's buffers may share one ArrayBuffer. */
  viewInfo(view: TypedArray | DataView) {
    const { buffer, byteOffset, byteLength } = view
    const own = byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)
    return {
      buffer: own,
      byteOffset: 0,
      byteLength,
      length: 'length' in view ? view.length : byteLength,
      bufferByteLength: byteLength
    }
  }
}

/** True for Object.prototype of this or another realm, and for null. */
const isPlainPrototype = (prototype: unknown): boolean =>
  prototype === Object.prototype ||
  prototype === null ||
  (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))

/**
 * Encodes any value with devalue, unchanged or not at all.
 * @param numberOf returns the number of a promise in the value
 * @throws ValueRefused with the path of the value that would change
 */
export function encodeValue(value: unknown, numberOf: NumberPromise): string {
  const reducers = { [DEFERRED_KEY]: (item: unknown) => isThenable(item) && toNumber(item) }
  const operations = OPERATIONS as object
  try {
    return stringify(value, reducers, { operations })
  } catch (error) {
    if (error instanceof DevalueError) throw new ValueRefused(error.path, sentenceOf(error.value), error)
    if (error instanceof RangeError) throw new ValueRefused('', 'data that is nested too deep', error)
    throw error
  }

  function toNumber(item: PromiseLike<unknown>): number | symbol {
    if (!(item instanceof Promise)) return kForeignPromise
    return Object.isExtensible(item) ? numberOf(item) : kFrozenPromise
  }
}

/** Describes a refused value. */
function sentenceOf(value: unknown): string {
  if (typeof value === 'symbol') return REFUSALS.has(value) ? value.description! : 'a symbol'
  if (typeof value === 'function') return 'a function'
  try {
    const prototype = Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null
    if (isPlainPrototype(prototype))
      return Object.hasOwn(value as object, '__proto__')
        ? 'an object with a __proto__ key'
        : 'an object with symbol keys or hidden properties'
    const name = prototype?.constructor?.name
    const of = typeof name === 'string' && name !== '' ? name : 'a class'
    return KNOWN.has(prototype)
      ? `an instance of ${of} with properties of its own, or a proxy of one`
      : `an instance of ${of}${of === 'Buffer' ? ': make it a Uint8Array' : ''}`
  } catch {
    return 'an object that cannot be read, such as a revoked proxy'
  }
}
