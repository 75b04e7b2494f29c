import { userInfo } from 'node:os'

/** Name of the account that runs the server. */
export function accountName(): string {
  try {
    return userInfo().username
  } catch {
    return 'admin' // the account has no name, which is common in containers
  }
}
