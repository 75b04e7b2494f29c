import type { BrowserClient } from '@sentry/browser'
import { addXhrInstrumentationHandler, SENTRY_XHR_DATA_KEY } from '@sentry/browser-utils'
import { addFetchInstrumentationHandler, getTraceData } from '@sentry/core'
import { MemberList, splitMembers } from '@hull/common/header-members.ts'

/** Prefix of our own members, as in Sentry's SDKs. */
const OWN = 'sentry-'

/** Patterns of URLs whose requests get trace headers: whole origins, including our own. */
export const toTargets = (origins: readonly string[]): RegExp[] =>
  [location.origin, ...origins].map((origin) => new RegExp(`^${origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}/`))

/** Adds the headers of the current trace to requests, as the SDK does when it records spans. */
export function sendTrace(client: BrowserClient): void {
  const targets = client.getOptions().tracePropagationTargets as RegExp[]
  const isTarget = (url: string) =>
    URL.canParse(url, location.href) && targets.some((pattern) => pattern.test(new URL(url, location.href).href))
  addFetchInstrumentationHandler(({ args, endTimestamp, fetchData }) => {
    if (endTimestamp !== undefined || !isTarget(fetchData.url)) return
    const [input, init] = args as Parameters<typeof fetch>
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    addTrace(
      (name) => headers.get(name),
      (name, value) => headers.append(name, value)
    )
    args[1] = { ...init, headers }
  })
  addXhrInstrumentationHandler(({ xhr, endTimestamp }) => {
    const request = xhr[SENTRY_XHR_DATA_KEY]
    if (endTimestamp !== undefined || !request || !isTarget(request.url)) return
    addTrace(
      (name) => request.request_headers[name],
      (name, value) => xhr.setRequestHeader!(name, value)
    )
  })
}

/** Adds the headers that a request does not have. Baggage of others is kept. */
function addTrace(read: (name: string) => string | null | undefined, add: (name: string, value: string) => void) {
  for (const [name, value] of Object.entries(getTraceData({ propagateTraceparent: true }))) {
    const given = read(name)
    if (!given || (name === 'baggage' && !given.includes(OWN))) add(name, value as string)
  }
}

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
