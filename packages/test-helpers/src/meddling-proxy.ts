import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listen } from './listen.ts'

/** Result of one request; `forward` lets it through. */
export type Meddling = (response: ServerResponse, forward: Forward) => void

export interface ForwardOptions {
  /** Response headers to replace. */
  headers?: Record<string, string>
  /** Changes the body. */
  rewrite?: (body: string) => string
  /** Bytes of the body after which the connection is cut. */
  breakAfter?: number
  /** Bytes of the body after which the response ends as if complete. */
  endAfter?: number
}

type Forward = (options?: ForwardOptions) => void

/** Selects requests: by their path and query, or by anything else. */
type Which = string | RegExp | ((request: IncomingMessage) => boolean)

/** An HTTP proxy that answers in place of the origin, or changes its responses; closed with the test. */
export async function openMeddlingProxy(t: Test, origin: string) {
  let target = new URL(origin)
  let plans: Array<{ which: Which; meddling: Meddling; times: number }> = []
  const seen: string[] = []

  const server = createServer(function meddle(request, response) {
    const url = request.url ?? ''
    seen.push(url)
    response.on('error', () => {})
    const forward: Forward = (options) => passOn(request, response, options)
    const plan = plans.find(({ which, times }) => times > 0 && isSelected(request, which))
    if (!plan) return forward()
    plan.times--
    plan.meddling(response, forward)
  })

  function passOn(request: IncomingMessage, response: ServerResponse, options: ForwardOptions = {}) {
    const { headers, rewrite, breakAfter, endAfter } = options
    const limit = breakAfter ?? endAfter
    const isChanged = rewrite !== undefined || limit !== undefined
    const { method, url } = request
    // A body can only be changed if it is not compressed.
    const asked = isChanged ? { ...request.headers, 'accept-encoding': 'identity' } : request.headers
    const to = { host: target.hostname, port: target.port, method, path: url, headers: asked }
    const upstream = send(to, async (answer) => {
      const { 'content-length': _length, ...rest } = answer.headers
      response.writeHead(answer.statusCode!, { ...(isChanged ? rest : answer.headers), ...headers })
      if (rewrite) return void response.end(rewrite(await text(answer)))
      if (limit === undefined) return void answer.pipe(response)
      let left = limit
      answer.on('data', (chunk: Buffer) => {
        if (left <= 0) return
        const part = chunk.subarray(0, left)
        left -= chunk.length
        response.write(part, () => {
          if (left > 0) return
          if (breakAfter === undefined) response.end()
          else response.socket?.resetAndDestroy()
        })
      })
      answer.on('end', () => left > 0 && response.end())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }

  const { origin: ownOrigin } = await listen(t, server)
  return {
    origin: ownOrigin,
    /** Paths and queries of the requests so far. */
    seen,

    /** Sets the result of the next requests of a kind. @param times number of requests */
    meddle(which: Which, meddling: Meddling, times = Infinity) {
      plans.unshift({ which, meddling, times })
    },

    /** Forwards every request from now on. */
    leaveAlone() {
      plans = []
    },

    /** Origin of all further requests. */
    forwardTo(other: string) {
      target = new URL(other)
    }
  }
}

/** Selects forms that are sent. */
export const isPost = ({ method }: IncomingMessage): boolean => method === 'POST'

function isSelected(request: IncomingMessage, which: Which): boolean {
  if (typeof which === 'function') return which(request)
  return typeof which === 'string' ? which === request.url : which.test(request.url ?? '')
}
