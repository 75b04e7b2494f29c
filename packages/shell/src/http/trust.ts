import { BlockList, isIP } from 'node:net'
import { withoutPort } from '@hull/common/http/network.ts'

/** Whether the proxy at `address` is trusted. `hop` is its distance from this server. */
export type Trust = (address: string | undefined, hop: number) => boolean

/** Names of ranges, the same as Fastify's: loopback; link-local; private (RFC 1918) and unique local (RFC 4193). */
const RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
}

/**
 * Converts TRUST_PROXY to one function for all code. Fastify trusts no proxy if it is given a number, and does not
 * expose its parsed list.
 * @returns false if no proxy is trusted
 * @throws NodeJS.ErrnoException for an entry that is not an address or range
 */
export function createTrust(trustProxy: boolean | number | string[]): false | Trust {
  if (typeof trustProxy === 'number') return trustProxy > 0 && ((_address, hop) => hop < trustProxy)
  if (typeof trustProxy === 'boolean') return trustProxy && (() => true)
  return createRangeCheck(trustProxy)
}

/**
 * Returns a function that checks whether an address is in one of the ranges. The zone and the port of the address do
 * not count, and an IPv4 address in IPv6 form counts as IPv4.
 * @param ranges addresses, CIDR ranges, and names of {@link RANGES}
 * @throws NodeJS.ErrnoException for an entry that is not an address or range
 */
export function createRangeCheck(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const entry of ranges.flatMap((name) => RANGES[name] ?? name)) {
    const [address, prefix] = entry.split('/') as [string, string?]
    const family = familyOf(address)
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return function isInRange(text) {
    // Without the zone, as in fe80::1%eth0. A header may contain any text.
    const [address = ''] = withoutPort(text ?? '').split('%', 1)
    // Node compares ::ffff:10.0.0.1, the form of a dual-stack socket, with IPv4 entries.
    return isIP(address) !== 0 && list.check(address, familyOf(address))
  }
}

/** Not `isIP`: its pattern for IPv6 takes a hundredth of a start. */
const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')
