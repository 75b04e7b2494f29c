import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { runInnerCall } from './depth.ts'
import type { Answer, Hop } from './hop.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'

/** The visitor for whom a page calls own routes. */
export interface Visitor {
  /** The visitor's request headers, with lower-case names. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The visitor's address (`request.ip`), for rate limits and logs of own routes. @default loopback */
  address?: string
}

export interface OwnRouteOptions {
  /** `app.inject`. */
  inject: (options: InjectOptions) => Promise<LightMyRequestResponse>
  /** Without a visitor, own routes see loopback and none of the visitor's headers. */
  visitor?: Visitor
}

/** Headers of the visitor that a page's text may depend on, or that logs show. */
const FORWARDED = ['accept-language', 'user-agent']
const FORWARDED_WITH_CREDENTIALS = [...FORWARDED, 'authorization', 'cookie']

/**
 * Answers a hop to the own origin without a socket. All hooks run, one level deeper ({@link fetchDepth}). The body is a
 * stream, so that a route that never ends can be stopped at the limit.
 * @param credentials whether the route receives the visitor's cookie and authorization
 */
export async function fetchOwnRoute(
  hop: Hop,
  credentials: boolean,
  { inject, visitor }: OwnRouteOptions
): Promise<Answer> {
  const { url, method, payload, signal } = hop
  const headers: IncomingHttpHeaders = Object.fromEntries(hop.headers)
  // A header that the page sets itself has precedence.
  for (const name of credentials ? FORWARDED_WITH_CREDENTIALS : FORWARDED) {
    const value = visitor?.headers[name]
    if (value !== undefined) headers[name] ??= value
  }
  headers.host = url.host
  delete headers['accept-encoding'] // the answer stays in the process, and nothing would decompress it

  return runInnerCall(async function injectOwnRoute(innerCall) {
    const response = await inject({
      method,
      url: url.href,
      headers,
      payload: payload === null ? undefined : (payload.bytes ?? Readable.from(payload.stream ?? [])),
      remoteAddress: visitor?.address,
      signal,
      payloadAsStream: true
    })
    const body = response.stream()
    body.once(
      'close',
      safeCallback(function stopRoute() {
        if (!body.readableEnded) response.raw.res.destroy() // otherwise a streaming route would wait forever
      })
    )
    return {
      status: response.statusCode,
      statusText: response.statusMessage ?? '',
      headers: toHeaders(response.headers),
      body,
      exhausted: () => innerCall.exhausted
    }
  })
}

function toHeaders(source: LightMyRequestResponse['headers']): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue
    for (const one of [value].flat()) headers.append(name, String(one))
  }
  return headers
}
