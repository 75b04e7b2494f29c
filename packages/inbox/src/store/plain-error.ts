import * as errors from '../errors.ts'
import type { PlainError } from './messages.ts'

type CodedError = Error & { code: string }

const CODED = new Map(
  Object.values(errors).map((Coded) => {
    const make = Coded as unknown as () => CodedError
    return [make().code, make]
  })
)

/**
 * Returns an error as plain data, to send it to another thread. {@link fromPlainError} restores the inbox's coded
 * errors.
 */
export function toPlainError(error: unknown): PlainError {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return { message: String(message), ...(typeof code === 'string' && { code }) }
}

export function fromPlainError({ code, message }: PlainError): Error {
  const error = CODED.get(code ?? '')?.() ?? new Error(message)
  error.message = message
  return error
}
