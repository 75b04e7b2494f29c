import type { IncomingHttpHeaders } from 'node:http'
import type { CachePolicy } from '../client/contracts/page.ts'
import type { MetaCtx } from '../client/contracts/context.ts'
import { nearest } from '@hull/common/nearest.ts'
import { CachePrivate, PageInvalid } from '../errors.ts'
import { checkPageTags } from './cache-labels.ts'

/** Request headers that a cached page varies by: lower-case names, and the values that its document is stored under. */
export type VariedHeaders = Readonly<Record<string, string | undefined>>

/** A request for a cached page: the only visitor data that may affect the render. */
export interface SharedPage {
  /** Path of the page with the names of its parameters, for messages. */
  page: string
  varied: VariedHeaders
  /** The query that the render may read, as {@link readSearch} returns it. */
  search: string
}

/** Members of a {@link CachePolicy}. */
const POLICY_NAMES: readonly string[] = ['maxAge', 'staleWhileRevalidate', 'vary', 'search', 'tags']

/** Maximum headers that a page may vary by. A guess: each one multiplies the stored documents. */
const MAX_VARY = 4

/** Maximum characters of a varied header. A guess: browsers send fewer than 100. A longer value is ignored. */
const MAX_VARIED_LENGTH = 256

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/

/**
 * Headers that identify a visitor or a connection. A document stored under one of them would serve one visitor only.
 */
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
 * Returns the policy with lower-case names in `vary`.
 * @throws Error that names the page, for an unknown member, seconds that are not a number of at least 0, a header that
 * no page can vary by, or a `search` that is no list of names
 */
export function checkCachePolicy(page: string, policy: CachePolicy): CachePolicy {
  const { maxAge, staleWhileRevalidate = 0, vary = [], search = [] } = policy
  const unknown = Object.keys(policy).find((name) => !POLICY_NAMES.includes(name))
  if (unknown !== undefined) {
    const meant = nearest(unknown, POLICY_NAMES)
    throw new Error(`${page}: cache has no "${unknown}"${meant ? `; did you mean "${meant}"?` : ''}`)
  }
  for (const [name, seconds] of Object.entries({ maxAge, staleWhileRevalidate }))
    if (!Number.isFinite(seconds) || seconds < 0)
      throw new Error(`${page}: cache.${name} is a number of seconds, 0 or more; got ${String(seconds)}`)
  if (!Array.isArray(vary) || vary.length > MAX_VARY)
    throw new Error(`${page}: cache.vary is a list of at most ${MAX_VARY} names of request headers`)
  if (!Array.isArray(search) || !search.every((name) => typeof name === 'string'))
    throw new Error(`${page}: cache.search is a list of names of parameters in the query`)
  const names = vary.map((name) => String(name).toLowerCase())
  for (const name of names) {
    if (!TOKEN.test(name)) throw new Error(`${page}: cache.vary names request headers; "${name}" is not a header name`)
    if (PRIVATE_HEADERS.has(name))
      throw new Error(`${page}: a cached page cannot vary by ${name}: its value differs from visitor to visitor`)
  }
  return { ...policy, vary: [...new Set(names)] }
}

/**
 * Returns the tags of a document.
 * @throws PageInvalid if they are not valid
 * @throws errors of the page's function
 */
export function readTags(file: string, { tags = [] }: CachePolicy, ctx: MetaCtx<() => unknown>): readonly string[] {
  const named = typeof tags === 'function' ? tags(ctx) : tags
  try {
    return checkPageTags(named)
  } catch (error) {
    throw new PageInvalid(file, `cache.tags: ${(error as Error).message}`)
  }
}

/**
 * Returns the values of the headers in `vary` that a document is stored under, with normalised white space; undefined
 * if a value is too long.
 */
export function readVaried(headers: IncomingHttpHeaders, vary: readonly string[] = []): VariedHeaders {
  return Object.fromEntries(vary.map((name) => [name, normalise(headers[name])]))
}

function normalise(value: string | string[] | undefined): string | undefined {
  const text = value?.toString() ?? ''
  // Checked first: the replacements take the square of the time for a long run of spaces.
  if (value === undefined || text.length > MAX_VARIED_LENGTH) return undefined
  return text
    .trim()
    .replace(/\s*,\s*/g, ',')
    .replace(/\s+/g, ' ')
}

/** Returns the suffix of a varied page's key. Values of headers have no line breaks. */
export const variedKey = (varied: VariedHeaders): string =>
  Object.entries(varied)
    .map(([name, value]) => (value === undefined ? `\n${name}` : `\n${name}: ${value}`))
    .join('')

/**
 * Returns the query of a cached page's render.
 * @param query with its question mark; empty if there is none
 * @param names parameters to keep, which are then sorted by name. @default the query as it is
 */
export function readSearch(query: string, names?: readonly string[]): string {
  if (names === undefined || query === '') return query
  const known = new URLSearchParams([...new URLSearchParams(query)].filter(([name]) => names.includes(name)))
  known.sort()
  return known.size > 0 ? `?${String(known)}` : ''
}

/**
 * Creates the `ctx.headers` of a cached page.
 * @throws CachePrivate when code reads a header that the page does not vary by, or lists all headers
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

/** Returns the error for visitor data that a cached page can never read. */
export const refusePrivate = (page: string, what: string): Error =>
  new CachePrivate(
    page,
    what,
    'remove `cache` from the page or leave the page out of the export, or load that part in the browser'
  )
