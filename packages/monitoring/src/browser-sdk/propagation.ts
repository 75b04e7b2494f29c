import { addFetchInstrumentationHandler } from '@sentry/core'
import { MemberList, splitMembers } from '@hull/common/header-members.ts'

/** Prefix of our own members, as in Sentry's SDKs. */
const OWN = 'sentry-'

/** Patterns of URLs whose requests get trace headers: whole origins, including our own. */
export const toTargets = (origins: readonly string[]): RegExp[] =>
  [location.origin, ...origins].map((origin) => new RegExp(`^${origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/`))

/** Limits a `baggage` header to the allowed length: whole members, ours first. */
function fitBaggage(header: string): string {
  const members = splitMembers(header)
  const list = new MemberList()
  for (const own of [true, false]) for (const member of members) if (member.startsWith(OWN) === own) list.add(member)
  return list.text
}

/**
 * Keeps `baggage` within its limits, because the SDK adds its own members to existing ones without checking the length.
 * Call it after the SDK was set up, so that it runs last.
 */
export function boundBaggage(): void {
  addFetchInstrumentationHandler(({ args, endTimestamp }) => {
    const init = args[1] as RequestInit | undefined
    if (endTimestamp !== undefined || !init?.headers) return
    const headers = new Headers(init.headers)
    const baggage = headers.get('baggage')
    if (baggage === null) return
    headers.set('baggage', fitBaggage(baggage))
    args[1] = { ...init, headers }
  })
  boundXhrBaggage()
}

/** Values can be added to a header of an XMLHttpRequest but not replaced, so existing members stay. */
function boundXhrBaggage() {
  const sent = new WeakMap<XMLHttpRequest, MemberList>()
  const { open, setRequestHeader } = XMLHttpRequest.prototype
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...args: Parameters<typeof open>) {
    sent.delete(this)
    open.apply(this, args)
  } as typeof open
  XMLHttpRequest.prototype.setRequestHeader = function (name, value) {
    if (name.toLowerCase() !== 'baggage') return setRequestHeader.call(this, name, value)
    const list = sent.get(this) ?? new MemberList(', ')
    sent.set(this, list)
    for (const member of splitMembers(value)) if (list.add(member)) setRequestHeader.call(this, name, member)
  }
}
