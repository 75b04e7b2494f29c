import { createDigest } from '@hull/common/digest.ts'
import type { ShellError } from '@hull/common/browser-shell.ts'
import { publishError } from './events.ts'
import { ServerFailure } from './page-data/payload.ts'
import { showError, showServerError } from './show-in-development.ts'

const digests = new WeakMap<object, string>()

/** Names and messages of the first logged errors. */
const loggedTitles = new Set<string>()

/**
 * Maximum size of {@link loggedTitles}. A guess: only errors during hydration, which are the first, are compared with
 * them.
 */
const MAX_LOGGED_TITLES = 20

/** Returns the digest of an error in the browser: always the same for one object. */
export function digestOf(error: unknown): string {
  if (!isObject(error)) return createDigest()
  let digest = digests.get(error)
  if (!digest) digests.set(error, (digest = createDigest()))
  return digest
}

/**
 * Notifies listeners of an error that React or the shell caught. The browser's own events report all others.
 * @returns the digest that identifies the error's event; undefined if no listener reports the error
 */
export function logError(error: unknown, details: Omit<ShellError, 'error' | 'digest'>): string | undefined {
  if (import.meta.hot && isServerFailure(error)) showServerError(error.digest)
  else if (import.meta.hot) showError(error, details.componentStack)
  if (isServerFailure(error)) return error.digest
  // An uncaught primitive is only reported by the browser's own event.
  if (!details.handled && !isObject(error)) return undefined
  if (error instanceof Error && loggedTitles.size < MAX_LOGGED_TITLES) loggedTitles.add(toTitle(error))
  const digest = digestOf(error)
  return publishError({ ...details, error, digest }) ? digest : undefined
}

/**
 * Whether an error with this name and message was logged. React renders a component again that failed during hydration,
 * and a component that always fails throws a new object each time.
 */
export const wasLogged = (error: unknown): boolean => error instanceof Error && loggedTitles.has(toTitle(error))

const toTitle = ({ name, message }: Error): string => `${name}: ${message}`

/** Whether the server has reported the error. Errors of libraries may have a `digest` too, so the class is checked. */
export const isServerFailure = (error: unknown): error is ServerFailure & { digest: string } =>
  error instanceof ServerFailure && error.digest !== undefined

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
