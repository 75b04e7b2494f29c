import { LRUCache } from 'lru-cache'
import type { Side } from '../store/model.ts'

/*
 * What a browser calls itself, as far as a list of issues needs it: name and main version. The order matters, for each
 * claims to be those below it. No library: the ones that know every device are a megabyte of expressions, run for each
 * event, and browsers have frozen what they say.
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

/** Characters of it that are looked at. */
const MAX_LENGTH = 512

/** Programs that are remembered: most visitors have one of a few dozen. */
const MAX_KNOWN = 1_000

interface Program {
  /** `Safari 19`, `Googlebot`; undefined for a program that is no browser. */
  browser: string | undefined
  /** `iOS 19`, `Windows`: where the version is frozen in the text it is left out. */
  system: string | undefined
}

const known = new LRUCache<string, Program>({ max: MAX_KNOWN })

/** What a user agent says of browser and system. */
export function readUserAgent(userAgent: string): Program {
  const text = userAgent.slice(0, MAX_LENGTH)
  const found = known.get(text)
  if (found) return found
  const program = { browser: BOT.exec(text)?.[1] ?? match(BROWSERS, text), system: match(SYSTEMS, text) }
  known.set(text, program)
  return program
}

/** Browser and system without versions, such as `Firefox on Linux`; undefined for a client that is not known. */
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

/** SDKs that run in browsers alone; those of frameworks run on both sides. */
const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby|preact|wasm)\b/
const BROWSER_OP = /^(?:pageload|navigation|prefetch|ui\.|browser\.|resource\.)/

/** SDKs for JavaScript that never run in a browser; some of them call their platform `javascript`. */
const SERVER_SDK = /node|bun|deno|cloudflare|lambda|serverless|edge|electron/i

/** Where something ran: by the kind of work, then the SDK's name, then the platform. */
export function sideOf({ platform, sdk, op }: { platform?: string; sdk?: string; op?: string }): Side {
  if (op === 'http.server' || (sdk !== undefined && SERVER_SDK.test(sdk))) return 'server'
  if (platform !== undefined && platform !== 'other') return platform === 'javascript' ? 'browser' : 'server'
  if (sdk !== undefined && BROWSER_SDK.test(sdk)) return 'browser'
  return op !== undefined && BROWSER_OP.test(op) ? 'browser' : 'server'
}
