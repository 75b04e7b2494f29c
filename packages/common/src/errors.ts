import { createError } from './create-error.ts'

/* Coded errors that several packages use. Each package has its own in its errors.ts; docs/errors.md explains all. */

export const ConfigInvalid = createError('APP_CONFIG_INVALID', '%s', 500)
export const ConfigPartMissing = createError<[variables: string, part: string, settings: string, install: string]>(
  'APP_CONFIG_PART_MISSING',
  '%s would have no effect: config.ts lists no settings of %s. Remove it from the environment and from .env, or add %s to config.ts%s (docs/owning.md)',
  500
)
/** Not reported, because the visitor no longer waits for the answer. The shell throws it with the name AbortError. */
export const ClientGone = createError<[options?: ErrorOptions]>('APP_CLIENT_GONE', 'The visitor left before the answer was ready', 499)
