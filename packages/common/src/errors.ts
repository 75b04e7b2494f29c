import { createError } from './create-error.ts'

/* Coded errors that several packages use. Each package has its own in its errors.ts; docs/errors.md explains all. */

export const ConfigInvalid = createError('APP_CONFIG_INVALID', '%s', 500)
/** Not reported, because the visitor no longer waits for the answer. The shell throws it with the name AbortError. */
export const ClientGone = createError<[options?: ErrorOptions]>('APP_CLIENT_GONE', 'The visitor left before the answer was ready', 499)
