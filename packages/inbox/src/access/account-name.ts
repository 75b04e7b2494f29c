import { userInfo } from 'node:os'

/** Name of the account that runs the server. */
export function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return 'admin' // an account without a name, as containers may have it
  }
}
