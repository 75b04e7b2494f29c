import type { IncomingHttpHeaders } from 'node:http'
import type { CachePolicy } from '../client/contract.ts'
import { CachePrivate } from '../errors.ts'

/** Request headers a cached page varies by, lower-case names, with the value its document is stored under. */
export type VariedHeaders = Readonly<Record<string, string | undefined>>

/** A request for a cached page: the only things of the visitor that its render may depend on. */
export interface SharedPage {
  /** The page's path with its parameters' names, for messages. */
  page: string
  varied: VariedHeaders
}

/** Headers a page may vary by. A guess: each one multiplies the documents that are stored. */
const MAX_VARY = 4

/** Characters of a varied header. A guess: browsers send fewer than 100; a longer value counts as none. */
const MAX_VARIED_LENGTH = 256

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/

/** These tell visitors apart, or say how the answer travels: a document stored by one of them is for one visitor. */
const PRIVATE_HEADERS = new Set([
  'accept-encoding',
  'authorization',
  'baggage',
  'cookie',
  'forwarded',
  'host',
  'proxy-authorization',
  'sentry-trace',
  'traceparent',
  'tracestate',
  'via',
  'x-forwarded-for',
  'x-real-ip',
  'x-request-id'
])

/**
 * The policy with the names in `vary` in lower case.
 * @throws Error that names the page, for seconds that are no number from 0 up and for a header no page can vary by
 */
export function checkCachePolicy(page: string, policy: CachePolicy): CachePolicy {
  const { maxAge, staleWhileRevalidate = 0, vary = [] } = policy
  for (const [name, seconds] of Object.entries({ maxAge, staleWhileRevalidate }))
    if (!Number.isFinite(seconds) || seconds < 0)
      throw new Error(`${page}: cache.${name} is a number of seconds, 0 or more; got ${String(seconds)}`)
  if (!Array.isArray(vary) || vary.length > MAX_VARY)
    throw new Error(`${page}: cache.vary is a list of at most ${MAX_VARY} names of request headers`)
  const names = vary.map((name) => String(name).toLowerCase())
  for (const name of names) {
    if (!TOKEN.test(name)) throw new Error(`${page}: cache.vary names request headers; "${name}" is not a header name`)
    if (PRIVATE_HEADERS.has(name))
      throw new Error(`${page}: a cached page cannot vary by ${name}: its value differs from visitor to visitor`)
  }
  return { ...policy, vary: [...new Set(names)] }
}

/** The values of the headers in `vary`, as the document is stored under: blanks reduced, none where it is too long. */
export function readVaried(headers: IncomingHttpHeaders, vary: readonly string[] = []): VariedHeaders {
  return Object.fromEntries(vary.map((name) => [name, normalise(headers[name])]))
}

function normalise(value: string | string[] | undefined): string | undefined {
  const text = value
    ?.toString()
    .trim()
    .replace(/\s*,\s*/g, ',')
    .replace(/\s+/g, ' ')
  return text !== undefined && text.length <= MAX_VARIED_LENGTH ? text : undefined
}

/** What a varied page adds to the key of its document; a header's value has no line break. */
export const variedKey = (varied: VariedHeaders): string =>
  Object.entries(varied)
    .map(([name, value]) => (value === undefined ? `\n${name}` : `\n${name}: ${value}`))
    .join('')

/**
 * `ctx.headers` of a cached page.
 * @throws CachePrivate when a header is read that the page does not vary by, or all of them are
 */
export function createSharedHeaders({ page, varied }: SharedPage): VariedHeaders {
  const refuse = (what: string): never => {
    throw new CachePrivate(page, what, 'name the header in cache.vary, or remove `cache` from the page')
  }
  const check = (name: string | symbol) =>
    typeof name === 'symbol' || Object.hasOwn(varied, name) || refuse(`the request header ${name}`)
  return new Proxy(varied, {
    get: (target, name) => (check(name), Reflect.get(target, name)),
    has: (target, name) => (check(name), Reflect.has(target, name)),
    getOwnPropertyDescriptor: (target, name) => (check(name), Reflect.getOwnPropertyDescriptor(target, name)),
    ownKeys: () => refuse('all request headers')
  })
}

/** The error for what a cached page cannot have of a visitor at all. */
export const refusePrivate = (page: string, what: string): Error =>
  new CachePrivate(page, what, 'remove `cache` from the page, or load that part in the browser')
