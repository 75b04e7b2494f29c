import { MAX_TRACESTATE_MEMBERS } from '@hull/common/constants.ts'
import { MemberList, splitMembers } from '@hull/common/header-members.ts'

/** W3C Trace Context §3.3.1.3: key and value. The value has no comma, no equals sign, and no space at its end. */
const MEMBER = /^([a-z0-9][a-z0-9_*/@-]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/**
 * Returns the `tracestate` to pass on; undefined if there is none. An invalid member, or more members than {@link
 * MAX_TRACESTATE_MEMBERS}, invalidates the whole header (§3.3). Of members with the same key, the first one counts.
 * Members beyond 8192 characters are omitted as a whole.
 */
export function cleanTracestate(header: string): string | undefined {
  const members = splitMembers(header)
  if (members.length > MAX_TRACESTATE_MEMBERS) return undefined
  const list = new MemberList()
  const keys = new Set<string>()
  for (const member of members) {
    const key = MEMBER.exec(member)?.[1]
    if (key === undefined) return undefined
    if (keys.has(key)) continue
    keys.add(key)
    list.add(member)
  }
  return list.text === '' ? undefined : list.text
}
