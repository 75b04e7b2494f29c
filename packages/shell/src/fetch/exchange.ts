import { FetchRedirect, FetchTooLarge } from '../errors.ts'
import { parseAddress, toSafeText } from './address.ts'
import { drainBody, readBody } from './body.ts'
import { ServerAnswer } from './failure.ts'
import { isRedirectAnswer, toNextHop, type Answer, type Hop } from './hop.ts'
import type { Outside } from './outside.ts'
import { fetchOwnRoute, type OwnRouteOptions } from './own-route.ts'
import type { Attempt } from './retry.ts'

/** What a page asked for, checked. */
export interface PageRequest extends Omit<Hop, 'signal'> {
  redirect: RequestRedirect
  /** Whether the visitor's cookie and authorization go to own routes. */
  credentials: boolean
  /** The app's own origin. */
  origin: string
}

/** A request as one attempt sends it. */
export interface Exchange extends PageRequest {
  /** Headers of this attempt, for the origin that was asked and no other. */
  added: Headers | undefined
  /** Whether a 5xx is an error, because another attempt may follow. */
  repeatable: boolean
}

export interface ExchangeOptions extends OwnRouteOptions {
  /** The way to other services. */
  outside: Outside
  /** Bytes of an answer's body; more is APP_FETCH_TOO_LARGE. */
  maxBody: number
}

/** The Fetch standard's limit. */
const MAX_REDIRECTS = 20
const CREDENTIALS = ['authorization', 'cookie']
/** Statuses with which a Response may have no body. */
const NULL_BODY = new Set([204, 205, 304])

/** One attempt from the first request to the last byte, redirects included. */
export async function exchange(request: Exchange, attempt: Attempt, options: ExchangeOptions): Promise<Response> {
  const subject = () => [request.method, toSafeText(request.url)] as const
  let hop: Hop = { ...request, signal: attempt.signal }
  let inside = true

  for (let redirects = 0; ; redirects++) {
    inside &&= hop.url.origin === request.origin
    // Credentials stop for good at the first hop outside: another service must not steer us back in with them.
    const forward = inside && request.credentials ? [...options.forward, ...CREDENTIALS] : options.forward
    const answer = await send(hop, request, { ...options, forward })

    if (!isRedirectAnswer(answer) || request.redirect === 'manual') {
      const bytes = await readBody(answer.body, options.maxBody)
      if (bytes === undefined) throw new FetchTooLarge(...subject(), options.maxBody)
      return toResponse(answer, hop, bytes, redirects > 0)
    }

    await drainBody(answer.body)
    const next = toNextHop(hop, answer.status, parseAddress(answer.headers.get('location') ?? '', hop.url))
    if (request.redirect === 'error') throw new FetchRedirect(...subject(), `redirects to ${toSafeText(next.url)}`)
    if (redirects === MAX_REDIRECTS) throw new FetchRedirect(...subject(), `more than ${MAX_REDIRECTS} redirects`)
    if (next.payload?.stream !== undefined)
      throw new FetchRedirect(...subject(), 'redirects, and a stream cannot be sent twice')
    hop = next
  }
}

/** One hop over its transport. Throws a 5xx where another attempt may follow. */
async function send(hop: Hop, request: Exchange, options: ExchangeOptions): Promise<Answer> {
  const own = hop.url.origin === request.origin
  const requested = hop.url.origin === request.url.origin
  const sent = requested && request.added !== undefined ? { ...hop, headers: merge(hop.headers, request.added) } : hop
  const answer = own ? await fetchOwnRoute(sent, options) : await options.outside.fetch(sent)
  if (answer.status >= 500 && request.repeatable) {
    await drainBody(answer.body)
    throw new ServerAnswer(answer.status, answer.headers.get('retry-after'), answer.exhausted())
  }
  return answer
}

function merge(headers: Headers, added: Headers): Headers {
  const merged = new Headers(headers)
  for (const [name, value] of added) merged.set(name, value)
  return merged
}

/** The runtime's own Response over either transport, so that `instanceof Response` holds. */
function toResponse(answer: Answer, { url, method }: Hop, bytes: Buffer<ArrayBuffer>, redirected: boolean): Response {
  const body = NULL_BODY.has(answer.status) || method === 'HEAD' ? null : bytes
  const response = new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers })
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } })
}
