import type { FoundToken } from '../queries/people-types.ts'

/** Whether a token may change issues: its scope allows it, and its person is an admin now. */
export const canWrite = ({ scope, role }: Pick<FoundToken, 'scope' | 'role'>): boolean =>
  scope === 'write' && role === 'admin'
