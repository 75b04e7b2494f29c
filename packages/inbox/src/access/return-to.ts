import { toOwnPath } from '@hull/common/safe-url.ts'
import { INBOX_PATH, isInboxPath, isSecretPath } from '../addresses.ts'

/** Path to open after sign-in: the requested page of the inbox, and never another address. */
export function toReturnTo(search: URLSearchParams): string {
  const path = toOwnPath(search.get('return') ?? '')
  const { pathname } = new URL(path ?? INBOX_PATH, 'http://here.invalid')
  return path !== undefined && isInboxPath(pathname) && !isSecretPath(pathname) ? path : INBOX_PATH
}
