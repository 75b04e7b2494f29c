import type { Invalid } from '@hull/shell/client'
import { textOf } from '@hull/shell'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Repository, RepositoryHost } from '../repository.ts'

/** Reads the posted repository; undefined for an empty address, which removes it. */
export function readRepository(form: FormData): Repository | undefined {
  const url = textOf(form, 'url').trim()
  return url === '' ? undefined : { host: textOf(form, 'host') as RepositoryHost, url }
}

/** Result of a change, or the error in its form. */
export async function orInvalidRepository(change: Promise<void>): Promise<void | Invalid<Record<'url', string>>> {
  try {
    return await change
  } catch (error) {
    if (!isErrorCode(error, 'APP_INBOX_REPOSITORY_INVALID')) throw error
    return { kind: 'invalid', errors: { url: `${(error as Error).message}.` } }
  }
}
