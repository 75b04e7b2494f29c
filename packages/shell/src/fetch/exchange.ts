import { FetchRedirect, FetchTooLarge } from '../errors.ts'
import { parseAddress, toSafeText } from './address.ts'
import { drainBody, readBody } from './body.ts'
import { ServerAnswer } from './failure.ts'
import { isRedirectAnswer, toNextHop, type Answer, type Hop } from './hop.ts'
import type { ExternalFetch } from './external-fetch.ts'
import { fetchOwnRoute, type OwnRouteOptions } from './own-route.ts'
import type { Attempt } from './retry.ts'

/** A page's checked request. */
export interface PageRequest extends Omit<Hop, 'signal'> {
  redirect: RequestRedirect
  /** Whether own routes receive the visitor's cookie and authorization. */
  credentials: boolean
  /** The application's own origin. */
  origin: string
}

/** A request in one attempt. */
export interface Exchange extends PageRequest {
  /** Headers of this attempt, sent only to the requested origin. */
  added: Headers | undefined
  /** Whether a 5xx is an error, because another attempt may follow. */
  repeatable: boolean
}

export interface ExchangeOptions extends OwnRouteOptions {
  /** Transport to other services. */
  externalFetch: ExternalFetch
  /** Maximum bytes of an answer's body; a longer one is APP_FETCH_TOO_LARGE. */
  maxBody: number
}

/** Limit of the Fetch standard. */
const MAX_REDIRECTS = 20
/** Statuses whose Response cannot have a body. */
const NULL_BODY = new Set([204, 205, 304])

/** Runs one attempt from the first request to the last byte, with redirects. */
export async function exchange(request: Exchange, attempt: Attempt, options: ExchangeOptions): Promise<Response> {
  const subject = () => [request.method, toSafeText(request.url)] as const
  let hop: Hop = { ...request, signal: attempt.signal }
  let inside = true

  for (let redirects = 0; ; redirects++) {
    inside &&= hop.url.origin === request.origin
    // No credentials after the first hop to another service, even if it redirects back to this server.
    const answer = await send(hop, { ...request, credentials: request.credentials && inside }, options)

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

/** Sends one hop. @throws ServerAnswer for a 5xx if another attempt may follow */
async function send(hop: Hop, request: Exchange, options: ExchangeOptions): Promise<Answer> {
  const own = hop.url.origin === request.origin
  const requested = hop.url.origin === request.url.origin
  const sent = requested && request.added !== undefined ? { ...hop, headers: merge(hop.headers, request.added) } : hop
  const answer = own ? await fetchOwnRoute(sent, request.credentials, options) : await options.externalFetch.fetch(sent)
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

/** Returns the runtime's own Response for both transports, so that `instanceof Response` works. */
function toResponse(answer: Answer, { url, method }: Hop, bytes: Buffer<ArrayBuffer>, redirected: boolean): Response {
  const body = NULL_BODY.has(answer.status) || method === 'HEAD' ? null : bytes
  const response = new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers })
  return Object.defineProperties(response, { url: { value: url.href }, redirected: { value: redirected } })
}
