import { LRUCache } from 'lru-cache'
import { FILTERED } from '@hull/common/secrets.ts'
import { isSentCredential, removeCredentials } from './credentials.ts'
import { asArray, asObject, clean, toDisplay, toPairs, toText, type Raw } from './fields.ts'
import type { RequestDetail, Side } from '../store/model.ts'

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

/*
 * Browser and system names from user agents: name and main version, as a list of issues needs them. The order matters,
 * because each browser also claims to be those below it. No library: those that recognise every device are a megabyte
 * of expressions, run for each event, and browsers have frozen their user agents.
 */

const BROWSERS: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Opera', /(?:OPR|OPT|OPiOS)\/(\d+)/],
  ['Vivaldi', /Vivaldi\/(\d+)/],
  ['Yandex', /YaBrowser\/(\d+)/],
  ['DuckDuckGo', /(?:DuckDuckGo|Ddg)\/(\d+)/],
  ['Edge', /(?:Edg|EdgA|EdgiOS|Edge)\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome Headless', /HeadlessChrome\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS|Chromium)\/(\d+)/],
  ['Safari', /Version\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//],
  ['Safari', /(?:iPhone|iPad|Macintosh).*AppleWebKit\/(?!.*Version\/)/]
]

const BOT = /\b([\w-]*(?:bot|crawler|spider)|Lighthouse|facebookexternalhit|Slurp)\b/i

const SYSTEMS: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['Windows', /Windows NT/],
  ['iPadOS', /iPad.*? OS (\d+)/],
  ['iOS', /(?:iPhone|iPod).*? OS (\d+)/],
  ['Android', /Android (\d+)/],
  ['Android', /Android/],
  ['ChromeOS', /CrOS/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/]
]

/** Maximum characters of a user agent to inspect. */
const MAX_LENGTH = 512

/** Maximum parsed user agents in the cache. Most visitors have one of a few dozen. */
const MAX_KNOWN = 1_000

interface Program {
  /** `Safari 19`, `Googlebot`; undefined if the program is not a browser. */
  browser: string | undefined
  /** `iOS 19`, `Windows`; without a version if user agents have a frozen one. */
  system: string | undefined
}

const known = new LRUCache<string, Program>({ max: MAX_KNOWN })

/** Parses browser and system from a user agent. */
export function readUserAgent(userAgent: string): Program {
  const text = userAgent.slice(0, MAX_LENGTH)
  const found = known.get(text)
  if (found) return found
  const program = { browser: BOT.exec(text)?.[1] ?? match(BROWSERS, text), system: match(SYSTEMS, text) }
  known.set(text, program)
  return program
}

/** Returns browser and system without versions, such as `Firefox on Linux`; undefined for an unknown client. */
export function toClientName(userAgent: string | undefined): string | undefined {
  const { browser, system } = readUserAgent(userAgent ?? '')
  return (
    [browser, system]
      .map((name) => name?.replace(/ \d+$/, ''))
      .filter(Boolean)
      .join(' on ') || undefined
  )
}

function match(table: typeof BROWSERS, text: string): string | undefined {
  for (const [name, pattern] of table) {
    const found = pattern.exec(text)
    if (found) return found[1] === undefined ? name : `${name} ${found[1]}`
  }
  return undefined
}

/** Maximum packages of an SDK to inspect, and characters of a name. SDKs have two. */
const MAX_PACKAGES = 10
const MAX_NAME = 100

/** SDKs that only run in browsers; those of frameworks run on both sides. */
const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby|preact|wasm)\b/
const BROWSER_OP = /^(?:pageload|navigation|prefetch|ui\.|browser\.|resource\.)/

/** SDKs for JavaScript that never run in a browser; some of them call their platform `javascript`. */
const SERVER_SDK = /node|bun|deno|cloudflare|lambda|serverless|edge|electron/i

/** SDKs of apps on the devices of visitors: `sentry.cocoa`, `sentry.java.android`, `sentry.dart.flutter`. */
const DEVICE_SDK =
  /\b(?:android|capacitor|cocoa|cordova|flutter|godot|maui|react-native|unity|unreal|uwp|xamarin(?:-forms)?)\b/

/** Systems on which people run a program themselves, so that they are not those of a server. */
const MOBILE_SYSTEM = /^(?:Android|HarmonyOS|i(?:Pad)?OS|tvOS|visionOS|watchOS)(?: |$)/

/** Whether a system, such as `iOS 19`, is not that of a server. */
export const isMobile = (system: string | undefined): boolean => MOBILE_SYSTEM.test(system ?? '')

/**
 * Whether the contexts of an event are those of a mobile device. The system alone says nothing: Sentry takes that of the
 * visitor from the user agent, also for events of a server.
 */
function isOnDevice({ device, os }: Raw): boolean {
  return Object.keys(asObject(device)).length > 0 && isMobile(toText(asObject(os).name, MAX_NAME))
}

/**
 * Returns the name of an SDK with those of its packages, for {@link sideOf}: the SDK of a framework has one name on both
 * sides, and on an edge a package such as `npm:@sentry/vercel-edge`.
 */
export function toSdkNames(sdk: unknown): string | undefined {
  const { name, packages } = asObject(sdk)
  const names = [
    name,
    ...asArray(packages)
      .slice(0, MAX_PACKAGES)
      .map((one) => asObject(one).name)
  ]
  return names.flatMap((one) => toText(one, MAX_NAME) ?? []).join(' ') || undefined
}

interface Sender {
  platform?: string
  /** From {@link toSdkNames}. */
  sdk?: string
  op?: string
  contexts?: Raw
}

/**
 * Returns the side on which something ran, from the operation, the SDK's name, the device and the platform. Apps on the
 * devices of visitors are on the side of browsers.
 */
export function sideOf({ platform, sdk, op, contexts = {} }: Sender): Side {
  if (op === 'http.server' || (sdk !== undefined && SERVER_SDK.test(sdk))) return 'server'
  if ((sdk !== undefined && DEVICE_SDK.test(sdk)) || isOnDevice(contexts)) return 'browser'
  if (platform !== undefined && platform !== 'other') return platform === 'javascript' ? 'browser' : 'server'
  if (sdk !== undefined && BROWSER_SDK.test(sdk)) return 'browser'
  return op !== undefined && BROWSER_OP.test(op) ? 'browser' : 'server'
}
