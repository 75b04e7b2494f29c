import { createDigest } from '@hull/common/digest.ts'
import type { ShellError } from '@hull/common/browser-shell.ts'
import { publishError } from './events.ts'
import { ServerFailure } from './payload.ts'

const digests = new WeakMap<object, string>()

/** Names and messages of the first errors that were told. */
const told = new Set<string>()

/** Errors that are remembered in {@link told}. A guess: they are compared with those of hydration, which come first. */
const MAX_TOLD = 20

/** The digest of an error that happened in the browser: the same for each mention of the same object. */
export function digestOf(error: unknown): string {
  if (!isObject(error)) return createDigest()
  let digest = digests.get(error)
  if (!digest) digests.set(error, (digest = createDigest()))
  return digest
}

/**
 * Tells listeners of an error that React, or the shell, caught; the browser's own events report all others.
 * @returns the digest by which the error's event is found; undefined when nobody reports it
 */
export function logError(error: unknown, details: Omit<ShellError, 'error' | 'digest'>): string | undefined {
  if (isServerFailure(error)) return error.digest
  // An uncaught value that is no object is reported by the browser's own event alone.
  if (!details.handled && !isObject(error)) return undefined
  if (error instanceof Error && told.size < MAX_TOLD) told.add(toTitle(error))
  const digest = digestOf(error)
  return publishError({ ...details, error, digest }) ? digest : undefined
}

/**
 * Whether an error with this name and message was told. React renders again what failed while hydrating: a component that
 * fails each time throws a new object each time.
 */
export const wasLogged = (error: unknown): boolean => error instanceof Error && told.has(toTitle(error))

const toTitle = ({ name, message }: Error): string => `${name}: ${message}`

/** Whether the server reported it: not whatever has a `digest`, as errors of libraries do. */
export const isServerFailure = (error: unknown): error is ServerFailure & { digest: string } =>
  error instanceof ServerFailure && error.digest !== undefined

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
