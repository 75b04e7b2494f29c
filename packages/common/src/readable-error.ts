import { types } from 'node:util'
import { attempt } from './attempt.ts'
import { readProperty } from './read-property.ts'

/** Maximum levels of causes, and errors of an AggregateError, to keep: as many as the SDK's linked errors. */
const MAX_DEPTH = 5
const MAX_ERRORS = 20

/** Maximum characters of a thrown value that is not an error. A guess. */
const MAX_TEXT = 1_000

/**
 * Error to log and report for a thrown value. An ordinary error is returned unchanged. A value that could make a logger
 * or an SDK fail is converted to an ordinary error with the same content: a value that is not an error, a frozen error,
 * a proxy, getters that throw, causes that are circular or thousands of levels deep.
 */
export function toReadableError(thrown: unknown): Error {
  if (isOrdinary(thrown, 0)) return thrown
  try {
    return isErrorLike(thrown) ? copyError(thrown, 0) : new Error(`${typeof thrown} thrown: ${describe(thrown)}`)
  } catch {
    return new Error(`${typeof thrown} thrown: it cannot be read`)
  }
}

function isOrdinary(error: unknown, depth: number): error is Error {
  try {
    if (types.isProxy(error) || !(error instanceof Error) || !Object.isExtensible(error)) return false
    if (depth > MAX_DEPTH || typeof error.message !== 'string' || typeof error.name !== 'string') return false
    if (error.stack !== undefined && typeof error.stack !== 'string') return false
    for (const key of Object.keys(error)) void Reflect.get(error, key)
    return (
      (!isObject(error.cause) || isPlain(error.cause) || isOrdinary(error.cause, depth + 1)) &&
      errorsOf(error).every((one) => !isObject(one) || isOrdinary(one, depth + 1))
    )
  } catch {
    return false
  }
}

/** Copies an error. Circular and deep causes end at MAX_DEPTH. */
function copyError(source: unknown, depth: number): Error {
  const read = (name: string) => readProperty(source, name)
  const message = toText(read('message')) ?? 'an error that cannot be read'
  const errors = errorsOf(source)
  const copyDeeper = (value: unknown) =>
    !isObject(value)
      ? value
      : depth === MAX_DEPTH
        ? new Error('further causes were left out')
        : copyError(value, depth + 1)
  const copy =
    errors.length === 0 ? new Error(message) : new AggregateError(errors.slice(0, MAX_ERRORS).map(copyDeeper), message)
  copy.name = toText(read('name')) ?? 'Error'
  copy.stack = toText(read('stack')) ?? `${copy.name}: ${message}`
  const keys = attempt(() => Object.keys(source as object)) ?? []
  for (const key of keys.slice(0, MAX_ERRORS)) {
    const value = read(key)
    if (!isObject(value) && value !== undefined && !(key in copy)) Object.assign(copy, { [key]: value })
  }
  const code = read('code')
  if (!isObject(code) && code !== undefined) Object.assign(copy, { code })
  const cause = read('cause')
  if (cause !== undefined) copy.cause = copyDeeper(cause)
  return copy
}

function errorsOf(error: unknown): unknown[] {
  const errors = readProperty(error, 'errors')
  return Array.isArray(errors) && !types.isProxy(errors) ? errors : []
}

function isErrorLike(value: unknown): boolean {
  if (types.isNativeError(value) || types.isProxy(value)) return true
  return value instanceof Error || (isObject(value) && typeof readProperty(value, 'stack') === 'string')
}

/** Whether a value is an object or a function, and so can be a key of a WeakMap. */
export const isObject = (value: unknown): value is WeakKey =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const isPlain = (value: unknown): boolean => !types.isProxy(value) && !isErrorLike(value)

const toText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function describe(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, MAX_TEXT)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
