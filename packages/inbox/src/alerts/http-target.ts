import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Duplex } from 'node:stream'
import { readProxyEnv } from '@hull/common/http/env-proxy.ts'
import { parseRetryAfter } from '@hull/common/http/retry-after.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { SECOND } from '@hull/common/time.ts'
import { AlertFailed } from './alert-failed.ts'

/** Milliseconds for a whole request: name, connection, answer. */
const TIMEOUT = 10 * SECOND

export interface PostOptions {
  headers: Record<string, string>
  body: string
  /** Whether the target may have a private address. */
  allowPrivate: boolean
  /** Ends the request. */
  signal: AbortSignal
}

/**
 * Posts to a target that a person has configured. The address is checked when the connection is made, so a name that
 * resolves to another address the second time has no effect. A proxy of the environment resolves names itself, so only
 * it can check them. Redirects are not followed. Not `fetch`: it offers no check of the address without another
 * package.
 * @throws AlertFailed unless the target answers 2xx
 */
export async function postToTarget(target: string, options: PostOptions): Promise<void> {
  const { status, retryAfter } = await send(new URL(target), options)
  if (status >= 200 && status < 300) return
  if (status >= 300 && status < 400)
    throw new AlertFailed(`The target answered ${status}, a redirect. Enter the address that it leads to.`)
  throw new AlertFailed(`The target answered ${status}.`, { ...(retryAfter !== undefined && { retryAfter }) })
}

function send(
  url: URL,
  { headers, body, allowPrivate, signal }: PostOptions
): Promise<{ status: number; retryAfter?: number }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The connection to a literal address asks no resolver.
  if (isIP(host) && !allowPrivate && !isPublic(host)) return Promise.reject(privateAddress(host))
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
  const isSecure = url.protocol === 'https:'
  const proxyEnv = readProxyEnv()
  return new Promise((fulfil, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      headers: { 'user-agent': 'Hull', 'content-length': String(Buffer.byteLength(body)), ...headers },
      agent: proxyEnv ? new (isSecure ? HttpsAgent : HttpAgent)({ proxyEnv }) : false,
      // The name of a proxy is the operator's, so its address may be private.
      lookup: (name, options, callback) =>
        (allowPrivate || name !== host ? resolve : resolvePublic)(name, options, callback as Callback),
      signal: deadline
    })
    request.on(
      'response',
      safeCallback((response: IncomingMessage) => {
        const retryAfter = parseRetryAfter(response.headers['retry-after'])
        // Nothing in the body is of use.
        response.destroy()
        fulfil({ status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }) })
      })
    )
    // Without a listener, Node ends the connection with neither a response nor an error.
    request.on(
      'upgrade',
      safeCallback(({ statusCode = 0 }: IncomingMessage, socket: Duplex) => {
        socket.destroy()
        fulfil({ status: statusCode })
      })
    )
    request.on('error', (error) => reject(toAlertFailed(error, host, deadline)))
    request.end(body)
  })
}

function toAlertFailed(error: NodeJS.ErrnoException, host: string, deadline: AbortSignal): AlertFailed {
  if (error instanceof AlertFailed) return error
  const options = { cause: error }
  if (deadline.aborted) return new AlertFailed(`The target did not answer within ${TIMEOUT / SECOND} seconds.`, options)
  if (error.code === 'ENOTFOUND') return new AlertFailed(`The host ${host} does not exist.`, options)
  if (error.code === 'ECONNREFUSED') return new AlertFailed(`${host} refused the connection.`, options)
  return new AlertFailed(`The connection to ${host} failed: ${error.code ?? error.message}.`, options)
}

const privateAddress = (address: string) =>
  new AlertFailed(`The address ${address} is private. To send to it, set INBOX_PRIVATE_TARGETS=true.`)

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void

/** Resolves a name as `dns.lookup` does, and fails if any of its addresses is private. */
function resolvePublic(host: string, options: LookupOptions, callback: Callback): void {
  resolve(host, options, (error, found, family) => {
    if (error) return callback(error, '')
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [String(found)]
    const refused = addresses.find((address) => !isPublic(address))
    if (refused !== undefined) return callback(privateAddress(refused), '')
    callback(null, found, family)
  })
}

/** Whether an address is on the public internet, by the registries of special addresses (RFC 6890). */
export const isPublic = (address: string): boolean =>
  isIPv6(address)
    ? publicIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6')
    : !special.check(address, 'ipv4')

/** Start of the addresses of IPv4 in a network that has IPv6 only and translates (NAT64, RFC 6052). */
const NAT64 = '64:ff9b::'

/**
 * Global unicast, and translated addresses of IPv4; all other addresses of IPv6 are special, and so is an address of
 * IPv4 in another form of IPv6.
 */
const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')
publicIpv6.addSubnet(NAT64, 96, 'ipv6')

const special = new BlockList()
const SPECIAL_IPV4: [address: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // In no registry: the host of a virtual machine in Azure.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4]
]
for (const [address, prefix] of SPECIAL_IPV4) {
  special.addSubnet(address, prefix, 'ipv4')
  special.addSubnet(NAT64 + address, 96 + prefix, 'ipv6')
}
// Teredo and other protocols, documentation, 6to4: some contain an address of IPv4.
for (const [address, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20]
] as const)
  special.addSubnet(address, prefix, 'ipv6')
