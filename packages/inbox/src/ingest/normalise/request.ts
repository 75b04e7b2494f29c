import { FILTERED } from '@hull/common/secrets.ts'
import type { RequestDetail } from '../../store/model.ts'
import { asObject, clean, toDisplay, toPairs, toText, type Raw } from './text.ts'

const HEADERS = { entries: 50, name: 100, value: 1_024 }
const COOKIES = { entries: 50, name: 100, value: 512 }

/** Characters. */
const MAX_URL = 2_048
const MAX_BODY = 8_192

/** Headers that hold the visitor's address, which is not kept. */
const ADDRESSES =
  /^(?:x-forwarded-for|x-forwarded|forwarded|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip|fastly-client-ip|x-sentry-forwarded-for|x-appengine-user-ip|remote-addr)$/i

/** Headers that sign in: of no use to anybody who reads. */
const KEYS = /^(?:authorization|proxy-authorization)$/i

/** What is kept of a request: neither `env` nor a header that tells an address. */
export function toRequest(event: Raw): RequestDetail | undefined {
  const request = asObject(event.request ?? event['sentry.interfaces.Http'])
  const method = toText(request.method, 32)
  const url = toUrl(request)
  const query = toQuery(request)
  const headers = toPairs(joinLists(request.headers), HEADERS)
    .filter(([name]) => !ADDRESSES.test(name) && name.toLowerCase() !== 'cookie')
    .map(([name, value]): [string, string] => [name, KEYS.test(name) ? FILTERED : value])
  const cookies = toCookies(request)
  const body = request.data === undefined || request.data === null ? undefined : toDisplay(request.data, MAX_BODY)
  const detail: RequestDetail = {
    ...(method !== undefined && { method }),
    ...(url !== undefined && { url }),
    ...(query !== undefined && { query }),
    headers,
    cookies,
    ...(body && { body })
  }
  return url !== undefined || method !== undefined || headers.length > 0 ? detail : undefined
}

/** Headers that came several times: .NET and Go send a list of values for each name. */
function joinLists(headers: unknown): unknown {
  const join = (value: unknown) =>
    Array.isArray(value) ? value.slice(0, HEADERS.entries).map(toItem).join(', ') : value
  const toItem = (value: unknown) => toDisplay(value, HEADERS.value)
  if (Array.isArray(headers))
    return headers.map((entry: unknown) => (Array.isArray(entry) ? [entry[0], join(entry[1])] : entry))
  return Object.fromEntries(Object.entries(asObject(headers)).map(([name, value]) => [name, join(value)]))
}

/** Without query and fragment, and without user name and password. */
function toUrl({ url }: Raw): string | undefined {
  const text = toText(url, MAX_URL)
  return text?.replace(/[?#].*$/s, '').replace(/^(\w{1,20}:\/\/)[^/@]*@/, '$1') || undefined
}

function toQuery({ url, query_string: query }: Raw): string | undefined {
  if (typeof query === 'object' && query !== null) {
    const pairs = toPairs(query, { entries: 50, name: 100, value: 512 })
    return pairs.length === 0 ? undefined : pairs.map(([name, value]) => `${name}=${value}`).join('&')
  }
  const text =
    toText(query, MAX_URL) ?? (typeof url === 'string' ? /\?([^#]*)/.exec(url.slice(0, 2 * MAX_URL))?.[1] : undefined)
  return text ? clean(text.replace(/^\?/, ''), MAX_URL) || undefined : undefined
}

function toCookies({ cookies, headers }: Raw): [string, string][] {
  const sent =
    cookies ?? toPairs(headers, { ...HEADERS, value: MAX_BODY }).find(([name]) => name.toLowerCase() === 'cookie')?.[1]
  if (typeof sent !== 'string') return toPairs(sent, COOKIES)
  const pairs = sent.slice(0, MAX_BODY).split(';', COOKIES.entries)
  return toPairs(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
    COOKIES
  )
}

/** The program that asked, as its request says. */
export const userAgentOf = (request: RequestDetail | undefined): string | undefined =>
  request?.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
