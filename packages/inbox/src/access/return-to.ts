import { toOwnPath } from '@hull/common/safe-url.ts'
import { INBOX_PATH, isSecretPath } from '../addresses.ts'

/**
 * Path to open after sign-in: the requested page of the inbox, or of the application, which may protect its own pages
 * with `requirePerson`. Never another origin.
 */
export function toReturnTo(search: URLSearchParams): string {
  const path = toOwnPath(search.get('return') ?? '')
  if (path === undefined || isSecretPath(new URL(path, 'http://here.invalid').pathname)) return INBOX_PATH
  return path
}
