import type { IncomingHttpHeaders } from 'node:http'
import { InboxAuthMissing, InboxAuthTwice } from '../../errors.ts'

/**
 * Returns the key with which a client authenticates: the public part of its DSN. The key may be in one place only:
 * 1. `X-Sentry-Auth: Sentry sentry_version=7, sentry_key=…`
 * 2. `Authorization: Sentry sentry_key=…`, for clients that cannot set custom headers
 * 3. `?sentry_key=…`, for browsers: the request needs no preflight
 * @returns undefined if the request has no credentials; the envelope must then contain its DSN
 * @throws InboxAuthTwice for credentials in two places, even with the same key, as in Relay
 * @throws InboxAuthMissing for credentials without a valid key
 * @see https://develop.sentry.dev/sdk/foundations/transport/authentication/
 */
export function readClientKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const { 'x-sentry-auth': header, authorization } = headers
  const given = [
    header === undefined ? undefined : keyOf(String(header)), // point 1
    authorization !== undefined && /^sentry\s/i.test(authorization) ? keyOf(authorization) : undefined, // point 2
    // Any parameter with this prefix counts as credentials, even without a key.
    [...query.keys()].some((name) => name.startsWith('sentry_')) ? toKey(query.getAll('sentry_key')) : undefined // point 3
  ].filter((key) => key !== undefined)
  if (given.length > 1) throw new InboxAuthTwice()
  const [key] = given
  if (key === '') throw new InboxAuthMissing()
  return key
}

/** Reads the key from `Sentry a=b, c=d`. The scheme and blanks are optional. */
function keyOf(header: string): string {
  const pairs = header.replace(/^\s*sentry\s+/i, '').split(',')
  return toKey(
    pairs.flatMap((pair) => {
      const [name = '', ...value] = pair.split('=')
      return name.trim() === 'sentry_key' ? [value.join('=').trim()] : []
    })
  )
}

/** Returns the key; '' if it is missing, repeated or malformed. */
const toKey = (values: string[]): string => (values.length === 1 && /^\w{1,64}$/.test(values[0]!) ? values[0]! : '')
