import type { IncomingHttpHeaders } from 'node:http'
import { InboxAuthMissing, InboxAuthTwice } from '../../errors.ts'

/**
 * The key that a client signs in with: the public part of its DSN. It may be in one place only:
 * 1. `X-Sentry-Auth: Sentry sentry_version=7, sentry_key=…`
 * 2. `Authorization: Sentry sentry_key=…`, for clients that may set no header of their own
 * 3. `?sentry_key=…`, for browsers: the request needs no preflight
 * @returns undefined where none of them has any, and the envelope has to name its DSN
 * @throws InboxAuthTwice for two of them, the same or not, as Relay has it
 * @throws InboxAuthMissing for one without a key
 * @see https://develop.sentry.dev/sdk/foundations/transport/authentication/
 */
export function readClientKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const { 'x-sentry-auth': header, authorization } = headers
  const given = [
    header === undefined ? undefined : keyOf(String(header)), // point 1
    authorization !== undefined && /^sentry\s/i.test(authorization) ? keyOf(authorization) : undefined, // point 2
    // Whatever begins so is a way of signing in, without a key too.
    [...query.keys()].some((name) => name.startsWith('sentry_')) ? toKey(query.getAll('sentry_key')) : undefined // point 3
  ].filter((key) => key !== undefined)
  if (given.length > 1) throw new InboxAuthTwice()
  const [key] = given
  if (key === '') throw new InboxAuthMissing()
  return key
}

/** `Sentry a=b, c=d`: the word in front, and blanks, may be missing. */
function keyOf(header: string): string {
  const pairs = header.replace(/^\s*sentry\s+/i, '').split(',')
  return toKey(
    pairs.flatMap((pair) => {
      const [name = '', ...value] = pair.split('=')
      return name.trim() === 'sentry_key' ? [value.join('=').trim()] : []
    })
  )
}

/** Named twice it is no key at all. */
const toKey = (values: string[]): string => (values.length === 1 && /^\w{1,64}$/.test(values[0]!) ? values[0]! : '')
