import type { Event } from '@sentry/core'
import type { FastifyRequest } from 'fastify'
import { attempt } from '@hull/common/attempt.ts'
import { plainAddress } from '@hull/common/http/network.ts'
import { pathOf } from '@hull/common/http/request.ts'

/** Headers that describe the request and the program that sent it, but not the person. */
const SAFE_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-length',
  'content-type',
  'host',
  'origin',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'user-agent'
]

/** Maximum characters of a body to send. Our choice. */
const MAX_BODY_LENGTH = 8 * 1024

/** Parts of a request that an event may contain. */
export interface RequestDisclosure {
  /** All parts, including the visitor's address and the body, but nothing marked as secret. */
  sendPii: boolean
  /** The visitor's address. */
  sendAddress: boolean
}

/** Adds the request to an event that happened in it. */
export function describeRequest(
  event: Event,
  request: FastifyRequest,
  { sendPii: pii, sendAddress }: RequestDisclosure
): Event {
  const { method, protocol, host, originalUrl, id, isSecret } = request
  const sendPii = pii && !isSecret
  const headers = headersWithoutSecrets(request)
  const path = pathOf(originalUrl)
  const query = originalUrl.slice(path.length + 1)
  event.request = {
    ...event.request,
    method,
    url: `${protocol}://${host}${path}`,
    headers: toFlat(sendPii ? Object.keys(headers) : SAFE_HEADERS, headers)
  }
  if (query !== '' && !isSecret) event.request.query_string = query
  event.tags = { ...event.tags, request_id: id }
  // The SDK's own user has an undefined address.
  if (sendAddress) event.user = { ...event.user, ip_address: event.user?.ip_address ?? plainAddress(request.ip) }
  if (!sendPii) return event
  const body = bodyOf(request.body)
  if (body !== undefined) event.request.data = body
  if (headers.cookie !== undefined) event.request.cookies = toCookies(headers.cookie)
  return event
}

/** Headers without secrets that would let a reader of the event sign in. */
function headersWithoutSecrets({ headers, isSecret, server }: FastifyRequest): FastifyRequest['headers'] {
  if (isSecret) return { ...headers, referer: undefined }
  const { cookie } = headers
  const secret = [...(server.secretCookies ?? [])]
  if (cookie === undefined || !secret.some((name) => cookie.includes(`${name}=`))) return headers
  const pairs = cookie.split(';').filter((pair) => !secret.includes(pair.split('=', 1)[0]!.trim()))
  return { ...headers, cookie: pairs.join(';').trim() || undefined }
}

function toFlat(names: string[], headers: FastifyRequest['headers']): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name of names) if (headers[name] !== undefined) flat[name] = String(headers[name])
  return flat
}

function toCookies(header: string): Record<string, string> {
  return Object.fromEntries(
    header.split(';').map((pair) => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    })
  )
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined
  const text = Buffer.isBuffer(body)
    ? body.toString('utf8', 0, MAX_BODY_LENGTH)
    : typeof body === 'string'
      ? body
      : // The application's own parser may return a value that is not JSON.
        attempt(() => JSON.stringify(body))
  return text?.slice(0, MAX_BODY_LENGTH)
}
