import { LRUCache } from 'lru-cache'

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
