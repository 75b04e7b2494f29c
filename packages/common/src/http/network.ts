import { isIP } from 'node:net'

/**
 * Whom an address stands for when requests are counted: an IPv4 address itself, also where it is written inside IPv6; of
 * an IPv6 address the /64 it is in, which one subscriber has as a whole (RFC 6177, RFC 7934 §3). What is no address is
 * `unknown`, all of it together; so is the address of a connection that is closed already.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown'
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
 * An address as it is told to others: IPv4 that a dual-stack socket wraps in IPv6 is unwrapped, and a zone, which means
 * something on this machine alone, left out. Undefined for what is no address: `request.ip` is undefined when the
 * connection was closed before anybody read its address, whatever its type says.
 */
export function plainAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const [bare = ''] = address.split('%', 1)
  const [, wrapped] = /^::ffff:([\d.]+)$/i.exec(bare) ?? []
  return isIP(bare) === 0 ? undefined : (wrapped ?? bare)
}

/** The eight groups of an IPv6 address, without its zone. */
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
