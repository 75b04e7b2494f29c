import { MemberList, splitMembers } from '../common/header-members.ts'

/** W3C Trace Context §3.3.1.3: key and value; the value neither begins another member nor ends with a space. */
const MEMBER = /^([a-z0-9][a-z0-9_*/@-]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** `tracestate` as it goes on: malformed members and repeated keys left out, bounded; undefined when nothing is left. */
export function cleanTracestate(header: string): string | undefined {
  const list = new MemberList()
  const keys = new Set<string>()
  for (const member of splitMembers(header)) {
    const key = MEMBER.exec(member)?.[1]
    if (key === undefined || keys.has(key) || !list.add(member)) continue
    keys.add(key)
  }
  return list.text === '' ? undefined : list.text
}
