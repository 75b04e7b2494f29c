import { FILTERED } from '@hull/common/secrets.ts'
import { isSentCredential, removeCredentials } from './credentials.ts'
import { asObject, clean, toDisplay, toPairs, toText, type Raw } from './fields.ts'
import type { RequestDetail } from '../store/model.ts'

const HEADERS = { entries: 50, name: 100, value: 1_024 }
const COOKIES = { entries: 50, name: 100, value: 512 }

/** Maximum characters. */
const MAX_URL = 2_048
const MAX_BODY = 8_192

/**
 * How names of headers with the visitor's address end: each proxy has its own, such as `CF-Connecting-IP`,
 * `X-Azure-ClientIP` and `X-Envoy-External-Address`. Some SDKs write `_` for `-`.
 */
const ADDRESS = /(?:^|[-_])(?:forwarded(?:[-_]for)?|(?:client|socket)?ip(?:v[46])?|addr(?:ess)?)$/i

/** Whether a header contains the visitor's address. It is not stored. */
export const isAddressHeader = (name: string): boolean => ADDRESS.test(name)

/** Returns the request of an event, without credentials, `env`, and headers that contain an address. */
export function toRequest(event: Raw): RequestDetail | undefined {
  const request = asObject(event.request ?? event['sentry.interfaces.Http'])
  const method = toText(request.method, 32)
  const url = toUrl(request)
  const query = toQuery(request)
  const headers = withoutCredentials(
    toPairs(request.headers, HEADERS, joinList).filter(
      ([name]) => !isAddressHeader(name) && name.toLowerCase() !== 'cookie'
    )
  )
  const cookies = withoutCredentials(toCookies(request))
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

const withoutCredentials = (pairs: [string, string][]): [string, string][] =>
  pairs.map(([name, value]) => [name, isSentCredential(name, value) ? FILTERED : value])

/** Joins the values of a repeated header: .NET and Go send a list of values for each name. */
const joinList = (value: unknown): unknown =>
  Array.isArray(value)
    ? value
        .slice(0, HEADERS.entries)
        .map((item) => toDisplay(item, HEADERS.value))
        .join(', ')
    : value

/** Returns the URL without query, fragment, user name and password. */
function toUrl({ url }: Raw): string | undefined {
  const text = toText(url, MAX_URL)
  return text?.replace(/[?#].*$/s, '').replace(/^(\w{1,20}:\/\/)[^/]*@/, '$1') || undefined
}

function toQuery({ url, query_string: query }: Raw): string | undefined {
  if (typeof query === 'object' && query !== null) {
    const pairs = withoutCredentials(toPairs(query, { entries: 50, name: 100, value: 512 }))
    return pairs.length === 0 ? undefined : pairs.map(([name, value]) => `${name}=${value}`).join('&')
  }
  const text =
    toText(query, MAX_URL) ?? (typeof url === 'string' ? /\?([^#]*)/.exec(url.slice(0, 2 * MAX_URL))?.[1] : undefined)
  return text ? clean(removeCredentials(`?${text.replace(/^\?/, '')}`).slice(1), MAX_URL) || undefined : undefined
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

/** Returns the User-Agent header of a request. */
export const userAgentOf = (request: RequestDetail | undefined): string | undefined =>
  request?.headers.find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
