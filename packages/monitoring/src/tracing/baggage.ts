import { attempt } from '@hull/common/attempt.ts'
import { MemberList, splitMembers } from '@hull/common/header-members.ts'

/** Facts that the head of a trace passes to all participants: release, environment, sampling and others. */
export type TraceFacts = Record<string, string>

export interface Baggage {
  /** Our own members, decoded and without their prefix; undefined if there are none. */
  facts: TraceFacts | undefined
  /** Members of others, unchanged. */
  foreign: string[]
}

/** Prefix of our own members, as in Sentry's SDKs. */
const PREFIX = 'sentry-'

/**
 * W3C Baggage §3.3.1: a token, a value of baggage octets, and properties of which only the characters are checked. White
 * space after the equals sign is taken as a whole: otherwise a long run of it would take the square of the time.
 */
const MEMBER =
  /^([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?![ \t])([\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*)(?:[ \t]*;[\t\x20\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]*)?$/
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** Parses `baggage`, our own members first. Omits malformed members, and members beyond the maximum length. */
export function parseBaggage(header: string): Baggage {
  const own: Array<[member: string, name: string, value: string]> = []
  const others: string[] = []
  for (const member of splitMembers(header)) {
    const [, key, value] = MEMBER.exec(member) ?? []
    if (key === undefined || value === undefined || BAD_ESCAPE.test(value)) continue
    if (key.startsWith(PREFIX)) own.push([member, key.slice(PREFIX.length), value])
    else others.push(member)
  }
  const list = new MemberList()
  const facts: TraceFacts = {}
  let known = false
  for (const [member, name, encoded] of own) {
    // Undefined if it is not UTF-8.
    const value = attempt(() => decodeURIComponent(encoded))
    if (!value || name === '' || name === '__proto__' || !list.add(member)) continue
    facts[name] = value
    known = true
  }
  return { facts: known ? facts : undefined, foreign: others.filter((member) => list.add(member)) }
}

/** Formats `baggage`: our own members first, then those of others as far as they fit; empty if there are none. */
export function formatBaggage(facts: TraceFacts | undefined, foreign: readonly string[] = []): string {
  const list = new MemberList()
  for (const name in facts) list.add(`${PREFIX}${encode(name)}=${encode(facts[name]!)}`)
  for (const member of foreign) list.add(member)
  return list.text
}

/** Adds members to others of the same header: those with a key that the others have too are left out. */
export function mergeMembers(members: readonly string[], more: readonly string[]): string[] {
  const keys = new Set(members.map(keyOf))
  return [...members, ...more.filter((member) => !keys.has(keyOf(member)))]
}

const keyOf = (member: string): string | undefined => MEMBER.exec(member)?.[1]

const SAFE = /^[\w.-]*$/

/** Most of our values need no encoding, and every document has them. */
const encode = (text: string): string => (SAFE.test(text) ? text : encodeURIComponent(text.toWellFormed()))
