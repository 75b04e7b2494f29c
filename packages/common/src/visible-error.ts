import { readProperty } from './read-property.ts'

/**
 * Marks an error whose code and message a visitor may read. The symbol is registered in the process, because the server
 * and the page bundle each load this file.
 */
const kVisible = Symbol.for('hull.visible')

/** An error whose message is shown to the visitor. */
export interface VisibleError extends Error {
  code: string
  /** From 400 to 499. */
  statusCode: number
}

/**
 * Creates an error that visitors may read. The answer has its status, code and message, and the error is neither logged
 * nor reported. Any other error is answered with 500, and a digest instead of its message.
 *
 * ```ts
 * throw visibleError('SHOP_SOLD_OUT', 'The last one was sold a moment ago.', 409)
 * ```
 * @param code stable code for programs
 * @param message sentence for the visitor
 * @param status from 400 to 499. @default 400
 * @throws RangeError for another status
 */
export function visibleError(code: string, message: string, status = 400, options?: ErrorOptions): VisibleError {
  if (!(status >= 400 && status < 500))
    throw new RangeError(`visibleError() takes a status from 400 to 499, not ${status}`)
  return markVisible(Object.assign(new Error(message, options), { code, statusCode: status }))
}

/**
 * Marks an error of a library, such as @fastify/sensible, so that visitors may read its message:
 * `throw markVisible(app.httpErrors.conflict('Somebody else has changed it.'))`. Its `statusCode` must be from 400 to
 * 499.
 */
export function markVisible<E extends Error>(error: E): E {
  return Object.defineProperty(error, kVisible, { value: true })
}

/** Whether an error, or its class, was marked. */
export const isMarkedVisible = (error: unknown): boolean => readProperty(error, kVisible) === true

/** Marks a class of errors with a status from 500 whose sentence visitors read, such as overload. */
const kRefusal = Symbol.for('hull.refusal')

/**
 * Marks a coded error with a status from 500 as a refusal: visitors read its sentence, and it is neither logged nor
 * reported.
 */
export function asRefusal<Coded extends { prototype: Error }>(coded: Coded): Coded {
  Object.defineProperty(coded.prototype, kRefusal, { value: true })
  return coded
}

/** Whether an error's class was marked with {@link asRefusal}. */
export const isRefusal = (error: unknown): error is VisibleError => readProperty(error, kRefusal) === true

/** Marks a class of errors with a status from 500 that are reported, and whose sentence visitors read all the same. */
const kOutage = Symbol.for('hull.outage')

/**
 * Marks a coded error with a status from 500 as an outage: visitors read its sentence together with a digest, and it is
 * logged and reported like other failures.
 */
export function asOutage<Coded extends { prototype: Error }>(coded: Coded): Coded {
  Object.defineProperty(coded.prototype, kOutage, { value: true })
  return coded
}

/** Whether an error's class was marked with {@link asOutage}. */
export const isOutage = (error: unknown): error is VisibleError => readProperty(error, kOutage) === true
