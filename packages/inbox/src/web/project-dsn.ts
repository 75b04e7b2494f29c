import type { Invalid } from '@hull/shell/client'
import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Project } from '../store/model.ts'

/** DSN for SDKs of other services that report to a project here. @param base URL of this server, with its base path */
export function toPublicDsn(base: string, { id, key }: Pick<Project, 'id' | 'key'>): string {
  const { protocol, host, pathname } = new URL(base)
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, '')}/${id}`
}

/** Result of a change to a project, or the error in its form. */
export async function orInvalidName<T>(change: Promise<T>): Promise<T | Invalid<Record<'name', string>>> {
  try {
    return await change
  } catch (error) {
    if (!isErrorCode(error, 'APP_INBOX_PROJECT_INVALID')) throw error
    return { kind: 'invalid', errors: { name: (error as Error).message } }
  }
}
