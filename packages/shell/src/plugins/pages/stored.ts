import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { CachePolicy } from '../../client/contracts/page.ts'
import { DOCUMENTS } from '@hull/common/channels.ts'
import { addVary } from '../../http/vary.ts'
import type { StoredPage } from '../../render/page-cache.ts'
import type { PageReply } from '../../render/page-context.ts'

/** Bytes below which compression does not pay, as in @fastify/compress. */
const MIN_COMPRESSIBLE = 1024

const ENCODERS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  zstd: (body) => promisify(zstdCompress)(body),
  gzip: (body) => promisify(gzip)(body)
}

/** Sends a rendered document: 304 if it is a 200 that the visitor has, otherwise the body, compressed once per coding. */
export async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  stored: StoredPage,
  { maxAge, staleWhileRevalidate = 0, vary = [] }: CachePolicy
): Promise<FastifyReply> {
  reply.headers(stored.headers)
  DOCUMENTS.publish({ server: request.server, request, reply, isShared: true })
  reply.header('etag', stored.etag)
  addVary(reply, 'accept-encoding', ...vary)
  // Browsers revalidate each time and mostly receive 304. Shared caches may store the document as the page allows.
  const [fresh, stale] = [maxAge, staleWhileRevalidate].map(Math.floor)
  const shared = `public, max-age=0, s-maxage=${fresh}, stale-while-revalidate=${stale}`
  const isOk = stored.status === 200
  reply.header('cache-control', isOk && !stored.outdated ? shared : 'private, no-store')
  // A shared cache keeps the document for the rest of its time only.
  const age = maxAge - (stored.freshUntil - performance.now()) / 1_000
  if (isOk && age >= 1) reply.header('age', Math.floor(age))
  // Only instead of a 2xx (RFC 9110 §13.2.1).
  if (isOk && matchesEtag(request.headers['if-none-match'], stored.etag)) return reply.code(304).send()
  reply.code(stored.status)
  const accept = request.headers['accept-encoding']
  const coding =
    accept && stored.body.length >= MIN_COMPRESSIBLE ? negotiate(accept, ['br', 'zstd', 'gzip', 'identity']) : null
  const encode = coding ? ENCODERS[coding] : undefined
  if (!encode) return reply.send(stored.body)
  let encoded = stored.encoded.get(coding!)
  if (!encoded) stored.encoded.set(coding!, (encoded = encode(stored.body)))
  return reply.header('content-encoding', coding).send(await encoded)
}

/**
 * Makes the answer uncacheable if a hook has set a cookie for this visitor, so that no cache gives the cookie to
 * others. The last `onSend` hook of a page's route.
 */
export const keepCookiesPrivate: onSendHookHandler = function keepCookiesPrivate(_request, reply, _payload, done) {
  if (reply.hasHeader('set-cookie') && String(reply.getHeader('cache-control')).startsWith('public'))
    reply.header('cache-control', 'private, no-store')
  done()
}

/** Whether `If-None-Match` names the validator, by weak comparison (RFC 9110 §13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((candidate) => {
    const tag = candidate.trim()
    return tag === '*' || tag.replace(/^W\//, '') === opaque
  })
}

/** Collects the status and headers of a document that is rendered once for all visitors. */
export class StoredReply implements Pick<PageReply, 'code' | 'header'> {
  statusCode = 200
  readonly headers: Record<string, string> = {}

  code(status: number): void {
    this.statusCode = status
  }

  header(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value
  }
}
