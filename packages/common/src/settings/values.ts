import { isIP } from 'node:net'

/**
 * Parses a value of the environment.
 * @throws Error whose message describes the valid values
 */
export type Parser<T> = (text: string) => T

const KIBIBYTE = 1024
const BYTES: Record<string, number> = { '': 1, B: 1, KiB: KIBIBYTE, MiB: KIBIBYTE ** 2, GiB: KIBIBYTE ** 3 }
const MILLISECONDS: Record<string, number> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const toText: Parser<string> = (text) => text

export const toFlag: Parser<boolean> = (text) => {
  if (/^(1|true|on|yes)$/i.test(text)) return true
  if (/^(0|false|off|no)$/i.test(text)) return false
  throw new Error('true or false')
}

export const toNumber =
  (least: number, most: number): Parser<number> =>
  (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) throw new Error(`a whole number from ${least} to ${most}`)
    return value
  }

export const toOneOf =
  <const T extends string>(...values: T[]): Parser<T> =>
  (text) => {
    if (!values.includes(text as T)) throw new Error(`one of ${values.join(', ')}`)
    return text as T
  }

/** Milliseconds, at most 24 days: a longer timer of Node fires at once. */
export const toDuration: Parser<number> = (text) => {
  const takes = 'a duration such as 500ms, 10s or 1m, of 24 days at most'
  const value = toQuantity(text, MILLISECONDS, takes)
  if (value > 2 ** 31 - 1) throw new Error(takes)
  return value
}

/** Milliseconds of an age, which is not used for a timer. */
export const toAge: Parser<number> = (text) => toQuantity(text, MILLISECONDS, 'an age such as 12h or 3d')

/** Bytes. */
export const toBytes: Parser<number> = (text) => toQuantity(text, BYTES, 'a size such as 512KiB or 64MiB')

/** Requires a value above zero. */
export const toPositive =
  (parse: Parser<number>): Parser<number> =>
  (text) => {
    const value = parse(text)
    if (value === 0) throw new Error('more than 0')
    return value
  }

/** Requires a value of at least `least`. */
export const toAtLeast =
  (parse: Parser<number>, least: number, takes: string): Parser<number> =>
  (text) => {
    const value = parse(text)
    if (value < least) throw new Error(takes)
    return value
  }

function toQuantity(text: string, units: Record<string, number>, takes: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text) ?? []
  const factor = units[unit]
  const value = Number(digits) * (factor ?? NaN)
  if (!Number.isSafeInteger(value)) throw new Error(takes)
  return value
}

/** A share, from 0 to 1. */
export const toShare: Parser<number> = (text) => {
  const value = Number(text)
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new Error('a number from 0 to 1, such as 0.1')
  return value
}

export const toOrigin: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.origin !== text.replace(/\/$/, '')) {
    throw new Error('an http or https origin without a path, such as https://app.example')
  }
  return url.origin
}

/** An origin, which may have a path; without a slash at the end. */
export const toFolderUrl: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && url.origin + url.pathname.replace(/\/$/, '')
  if (!url || !/^https?:$/.test(url.protocol) || plain !== text.replace(/\/$/, '') || /[\s"'<>;,]/.test(text))
    throw new Error('an http or https address without query and fragment, such as https://cdn.example/shop')
  return plain
}

export const toOrigins: Parser<readonly string[]> = (text) => text.split(',').map((origin) => toOrigin(origin.trim()))

export const toPath: Parser<string> = (text) => {
  if (!/^\/(?![/\\])[^?#\s]*$/.test(text)) throw new Error('a path of this application, such as /sign-in')
  return text
}

/** A path that the router matches literally, without parameters, encoding or a trailing slash. */
export const toPlainPath: Parser<string> = (text) => {
  if (!/^(\/[\w-][\w.~-]*)+$/.test(text)) throw new Error('a path of letters, digits and - . _ ~, such as /news')
  return text
}

export const toSecret =
  (length: number): Parser<string> =>
  (text) => {
    if (text.length < length) throw new Error(`at least ${length} characters`)
    return text
  }

/** Value for Fastify's `trustProxy`. */
export const toTrustProxy: Parser<boolean | number | string[]> = (text) => {
  if (/^\d+$/.test(text)) return Number(text)
  if (/^(true|false|on|off|yes|no)$/i.test(text)) return toFlag(text)
  const peers = text.split(',').map((peer) => peer.trim())
  if (!peers.every((peer) => isAddressRange(peer) || /^(loopback|linklocal|uniquelocal)$/.test(peer)))
    throw new Error(
      'false, true, a number of hops, or addresses, CIDR ranges, loopback, linklocal and uniquelocal separated by commas'
    )
  return peers
}

/** Whether a text is an IP address, or a CIDR range of them. */
function isAddressRange(text: string): boolean {
  const [, address, bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address ?? '')
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128))
}

/** A commit, as Git writes it. */
export const toCommit: Parser<string> = (text) => {
  if (!/^[\da-f]{7,64}$/.test(text)) throw new Error('a commit: 7 to 64 hex digits')
  return text
}

/** A URL with a host and one of some schemes. */
export const toUrlOf =
  (...schemes: string[]): Parser<string> =>
  (text) => {
    const url = URL.parse(text)
    if (!url?.hostname || !schemes.includes(url.protocol))
      throw new Error(
        `a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')} and has a host; in its password, write %2F for a slash, %3F for ? and %23 for #`
      )
    return text
  }
