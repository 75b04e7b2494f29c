import { readProperty } from './read-property.ts'

/** Maximum causes to check. The first cause of Node's AbortError is the reason of its signal. */
const MAX_CAUSES = 5

/** Whether an error, or one of its causes, is APP_CLIENT_GONE: the visitor has left. */
export function isClientGone(error: unknown): boolean {
  for (let cause = error, i = 0; cause !== undefined && i <= MAX_CAUSES; cause = readProperty(cause, 'cause'), i++)
    if (readProperty(cause, 'code') === 'APP_CLIENT_GONE') return true
  return false
}
