import { types } from 'node:util'
import { DevalueError, stringify } from 'devalue'
import { DEFERRED_KEY } from '../routing/payload.ts'
import { handleRejection } from '../server/handled-promise.ts'
import { isThenable } from '@hull/common/is-thenable.ts'
import { hasMoreThanElements } from './inspect-data.ts'

/** Numbers the promises of a response. A symbol refuses the promise; {@link Refusals} names its sentence. */
export type NumberPromise = (promise: Promise<unknown>) => number | symbol

/** Thrown where a value cannot be sent to the browser as what it is. */
export class ValueRefused extends Error {
  /** Where in the value it is: `.items[3].price`; empty at its top. */
  readonly path: string
  /** What it is, as a sentence. */
  readonly reason: string

  constructor(path: string, reason: string, cause: unknown) {
    super(`${path}: ${reason}`, { cause })
    this.path = path
    this.reason = reason
  }
}

/** Promises in one response, those in the values of others included. A guess: far more than a page shows. */
export const MAX_PROMISES = 1_000

/**
 * What stands in the place of a value that is refused: devalue refuses symbols, and names their path. The description is
 * the sentence.
 */
const kGetterFails = Symbol('a property that throws when it is read')
const kGetterPromise = Symbol('a promise that a getter makes: make it a property')
const kForeignPromise = Symbol('a thenable that is no Promise, such as a query that has not begun: await it')
const kFrozenPromise = Symbol('a frozen promise, which React cannot use')
export const kTooManyPromises = Symbol(`one promise more than the ${MAX_PROMISES} that a page may have`)

const REFUSALS = new Set([kGetterFails, kGetterPromise, kForeignPromise, kFrozenPromise, kTooManyPromises])

type TypedArray = Exclude<NodeJS.ArrayBufferView, DataView>

const isUrl = (value: object): value is URL => value instanceof URL && typeof value.href === 'string'

/** Classes whose instances arrive as they are, each with a check that no subclass, proxy or imitation passes. */
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

/** Whether an object has no properties but the `own` that its class gives it: others would not arrive. */
const isBare = (value: object, own = 0): boolean => Reflect.ownKeys(value).length === own

/** How devalue looks at values: as it does by itself, but nothing is left out, flattened, or taken for what it is not. */
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

  /** A view's own bytes alone: the buffer may be one that Node shares among everything that is read. */
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

/** Of this realm, of none, or of another realm. */
const isPlainPrototype = (prototype: unknown): boolean =>
  prototype === Object.prototype ||
  prototype === null ||
  (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))

/**
 * Encodes any value by devalue, exactly or not at all.
 * @param numberOf gives each promise in it its number
 * @throws ValueRefused with the path of what would arrive as something else
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

/** What a refused value is. */
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
