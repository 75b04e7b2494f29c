import { highestRole, isAtLeast } from '../access/roles.ts'
import type { FoundToken } from '../queries/people-types.ts'

/** Whether a token may change issues of any project: its scope allows it, and its person is a member or admin now. */
export const canWrite = ({ scope, ...grants }: Pick<FoundToken, 'scope' | 'role' | 'projects'>): boolean =>
  scope === 'write' && isAtLeast(highestRole(grants), 'member')
