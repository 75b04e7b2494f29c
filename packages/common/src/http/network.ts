import { isIP } from 'node:net'

/**
 * Network whose requests are counted together with those of an address: an IPv4 address itself, even if written as IPv6; for IPv6 its
 * /64, which one subscriber has as a whole (RFC 6177, RFC 7934 §3). `unknown` for all that is not an address, including
 * the missing address of a closed connection.
 */
export function networkOf(given: string | undefined): string {
  if (given === undefined) return 'unknown'
  const address = withoutPort(given)
  const version = isIP(address)
  if (version === 4) return address
  if (version === 0) return 'unknown'
  const groups = toGroups(address)
  const [a, b, c, d, e, f, g = 0, h = 0] = groups
  const isMapped = !a && !b && !c && !d && !e && f === 0xffff
  return isMapped
    ? [g >> 8, g & 255, h >> 8, h & 255].join('.')
    : [a, b, c, d].map((group) => group!.toString(16)).join(':')
}

/**
 * Address in the form for logs and reports: unwraps an IPv4 address that a dual-stack socket writes as IPv6, and
 * removes the zone, which has a meaning only on this machine. Undefined if it is not an address: despite its type,
 * `request.ip` is undefined if the connection was closed before its address was read.
 */
export function plainAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const [bare = ''] = withoutPort(address).split('%', 1)
  const [, wrapped] = /^::ffff:([\d.]+)$/i.exec(bare) ?? []
  return isIP(bare) === 0 ? undefined : (wrapped ?? bare)
}

/**
 * Address without its port. Some proxies, such as Azure Application Gateway and IIS, write `192.0.2.1:49152` to
 * X-Forwarded-For.
 */
export function withoutPort(address: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(address) ?? []
  return bracketed ?? dotted ?? address
}

/** Parses the eight groups of an IPv6 address, without its zone. */
function toGroups(address: string): number[] {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::') as [string, string?]
  const left = parseGroups(head)
  const right = parseGroups(tail ?? '')
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
}

function parseGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [parseInt(group, 16)]
    const [a, b, c, d] = group.split('.').map(Number) as [number, number, number, number]
    return [(a << 8) | b, (c << 8) | d]
  })
}
