import { textOf } from '@hull/shell'
import type { Repository, RepositoryHost } from '../repository.ts'

/** Reads the posted repository; undefined for an empty address, which removes it. */
export function readRepository(form: FormData): Repository | undefined {
  const url = textOf(form, 'url').trim()
  return url === '' ? undefined : { host: textOf(form, 'host') as RepositoryHost, url }
}
