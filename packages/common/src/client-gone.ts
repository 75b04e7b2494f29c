import { readProperty } from './readable-error.ts'

/** Causes that are looked at: an AbortError of Node has the reason of its signal as the first. */
const MAX_CAUSES = 5

/** Whether an error only says that the visitor left, itself or by its cause: APP_CLIENT_GONE. */
export function isClientGone(error: unknown): boolean {
  for (let cause = error, i = 0; cause !== undefined && i <= MAX_CAUSES; cause = readProperty(cause, 'cause'), i++)
    if (readProperty(cause, 'code') === 'APP_CLIENT_GONE') return true
  return false
}
