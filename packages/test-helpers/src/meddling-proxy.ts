import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Result of one request; `forward` lets it through. */
export type Meddling = (response: ServerResponse, forward: Forward) => void

export interface ForwardOptions {
  /** Response headers to replace. */
  headers?: Record<string, string>
  /** Bytes of the body after which the connection is cut. */
  breakAfter?: number
  /** Bytes of the body after which the response ends as if complete. */
  endAfter?: number
}

type Forward = (options?: ForwardOptions) => void

/** An HTTP proxy that answers in place of the origin, or changes its responses; closed with the test. */
export async function openMeddlingProxy(t: Test, origin: string) {
  let target = new URL(origin)
  let plans: Array<{ path: string | RegExp; meddling: Meddling; times: number }> = []
  const seen: string[] = []

  const server = createServer(function meddle(request, response) {
    const url = request.url ?? ''
    seen.push(url)
    response.on('error', () => {})
    const forward: Forward = (options) => passOn(request, response, options)
    const plan = plans.find(
      ({ path, times }) => times > 0 && (typeof path === 'string' ? path === url : path.test(url))
    )
    if (!plan) return forward()
    plan.times--
    plan.meddling(response, forward)
  })

  function passOn(request: IncomingMessage, response: ServerResponse, options: ForwardOptions = {}) {
    const { headers, breakAfter, endAfter } = options
    const limit = breakAfter ?? endAfter
    const { method, url } = request
    // Not compressed, because the response is cut after a number of bytes of its text.
    const asked = limit === undefined ? request.headers : { ...request.headers, 'accept-encoding': 'identity' }
    const upstream = send({ host: target.hostname, port: target.port, method, path: url, headers: asked }, (answer) => {
      const { 'content-length': _length, ...rest } = answer.headers
      response.writeHead(answer.statusCode!, { ...(limit === undefined ? answer.headers : rest), ...headers })
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

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Paths and queries of the requests so far. */
    seen,

    /** Sets the result of the next requests for an address. @param times number of requests */
    meddle(path: string | RegExp, meddling: Meddling, times = Infinity) {
      plans.unshift({ path, meddling, times })
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
