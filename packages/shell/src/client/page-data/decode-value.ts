import { DEFERRED_KEY } from '../../routing/payload.ts'

/** Values with an index below 0: undefined (-1), a hole in an array (-2), and numbers that JSON lacks. */
const CONSTANTS = [undefined, undefined, NaN, Infinity, -Infinity, -0]
const HOLE = -2

/** First element of an array that is encoded as its length, and an index and a value for each element. */
const SPARSE = -7

/** Classes whose instances are encoded as their constructor's arguments. The first argument of a view is an index. */
const CONSTRUCTED = /^(?:Date|RegExp|URL(?:SearchParams)?)$/
const VIEW = /^(?:DataView|\w+Array)$/

/**
 * Decodes what `encodeValue` (packages/shell/src/render/encode-value.ts) writes: devalue's format. devalue's own decoder
 * is four times as large, because it also reads values that the server refuses to send.
 * @param promiseOf returns the promise with a number
 * @throws Error if the text is not in this format
 */
export function decodeValue(text: string, promiseOf: (id: number) => Promise<unknown>): unknown {
  const encoded: unknown = JSON.parse(text)
  const decoded: unknown[] = []
  return Array.isArray(encoded) ? read(0) : CONSTANTS[-1 - (encoded as number)]

  function read(index: unknown): unknown {
    if (!Number.isInteger(index)) throw new Error(`${String(index)} is no index`)
    const at = index as number
    if (at < 0) return CONSTANTS[-1 - at]
    if (at in decoded) return decoded[at]
    return (decoded[at] = create((encoded as unknown[])[at], (value) => (decoded[at] = value)))
  }

  /** @param keep called with a new object before its parts are read, because they may contain the object */
  function create(value: unknown, keep: <T>(value: T) => T): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (!Array.isArray(value)) return fill(keep({}), Object.entries(value).flat())
    const [tag, ...parts] = value as unknown[]
    const first = parts[0] as string
    if (tag === SPARSE) return fill(keep(Object.assign([], { length: first })), parts.slice(1))
    if (typeof tag !== 'string') {
      const array = keep(Array(value.length))
      value.forEach((part, at) => {
        if (part !== HOLE) array[at] = read(part)
      })
      return array
    }
    if (tag === DEFERRED_KEY) return promiseOf(read(first) as number)
    if (tag === 'null') return fill(keep(Object.create(null) as object), parts)
    if (tag === 'Object') return Object(read(first))
    if (tag === 'BigInt') return BigInt(first)
    if (tag === 'ArrayBuffer') return Uint8Array.from(atob(first), (character) => character.charCodeAt(0)).buffer
    if (tag === 'Set') {
      const set = keep(new Set())
      for (const part of parts) set.add(read(part))
      return set
    }
    if (tag === 'Map') {
      const map = keep(new Map())
      for (let at = 0; at < parts.length; at += 2) map.set(read(parts[at]), read(parts[at + 1]))
      return map
    }
    const Class = (globalThis as unknown as Record<string, new (...args: unknown[]) => unknown>)[tag]!
    if (VIEW.test(tag)) return new Class(read(first), ...parts.slice(1))
    if (CONSTRUCTED.test(tag)) return new Class(...parts)
    throw new Error(`${tag} is not supported`)
  }

  /** @param entries a key and an index for each property */
  function fill(object: object, entries: unknown[]): object {
    for (let at = 0; at < entries.length; at += 2) {
      const key = entries[at] as string
      if (key === '__proto__') throw new Error('A key is __proto__')
      ;(object as Record<string, unknown>)[key] = read(entries[at + 1])
    }
    return object
  }
}
