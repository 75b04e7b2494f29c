import { BlockList, isIP } from 'node:net'

/** Whether a proxy is believed: the one at `address`, `hop` steps away from us. */
export type Trust = (address: string | undefined, hop: number) => boolean

/** Names for ranges, as Fastify has them. */
const RANGES: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']
}

/**
 * TRUST_PROXY as a function, one for all that ask: Fastify trusts nobody when it is given a number, and does not tell
 * what it made of a list.
 * @returns false when nobody is trusted
 * @throws NodeJS.ErrnoException for an entry that is no address or range
 */
export function createTrust(trustProxy: boolean | number | string[]): false | Trust {
  if (typeof trustProxy === 'number') return trustProxy > 0 && ((_address, hop) => hop < trustProxy)
  if (typeof trustProxy === 'boolean') return trustProxy && (() => true)
  const list = new BlockList()
  for (const entry of trustProxy.flatMap((name) => RANGES[name] ?? name)) {
    const [address, prefix] = entry.split('/') as [string, string?]
    list.addSubnet(address, Number(prefix ?? (isIP(address) === 4 ? 32 : 128)), familyOf(address))
  }
  return function isTrusted(text) {
    // Without the zone: fe80::1%eth0. What a header names may be anything.
    const address = text?.split('%', 1)[0] ?? ''
    // Node compares ::ffff:10.0.0.1, as a dual-stack socket names it, with IPv4 entries.
    return isIP(address) !== 0 && list.check(address, familyOf(address))
  }
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
