import { Client, type Dispatcher } from 'undici'
import { fill } from './fill.ts'

/** The request to repeat. */
export interface LoadRequest {
  path: string
  /** @default GET */
  method?: 'GET' | 'POST'
  /** Bodies, sent one after the other; `@id@` and `@trace@` become 32 new hex digits each time. @default none */
  bodies?: string[]
  /** @default `accept: text/html` */
  headers?: Record<string, string>
}

/** One turn: as many requests as the server answers, one at a time on each connection. */
export interface Turn extends LoadRequest {
  origin: string
  connections: number
  seconds: number
  /** Ends the turn early after this many requests. */
  maxRequests: number
  /** Requests per second on all connections together. @default as many as the server answers */
  rate?: number
}

export interface TurnResult {
  requests: number
  /** Responses with a status code other than 200, and broken connections. */
  failures: number
}

process.on('message', async function runTurnAndReport(turn: Turn) {
  process.send!(await runTurn(turn))
})

async function runTurn({
  origin,
  connections,
  seconds,
  maxRequests,
  rate = Infinity,
  ...request
}: Turn): Promise<TurnResult> {
  const { path, method = 'GET', bodies = [], headers = { accept: 'text/html' } } = request
  const start = performance.now()
  const end = start + seconds * 1000
  const result: TurnResult = { requests: 0, failures: 0 }
  let begun = 0
  const nextBody = () => (bodies.length === 0 ? null : fill(bodies[begun % bodies.length]!))
  const mayBegin = () => performance.now() < end && begun++ < maxRequests

  async function useConnection() {
    const client = new Client(origin)
    await new Promise<void>((resolve) => {
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          if (statusCode !== 200) result.failures++
        },
        onResponseData() {},
        onResponseEnd() {
          result.requests++
          next()
        },
        onResponseError() {
          result.failures++
          resolve()
        }
      }
      function next() {
        const early = start + (begun * 1000) / rate - performance.now()
        if (early > 0) setTimeout(next, early)
        else if (mayBegin()) client.dispatch({ method, path, headers, body: nextBody() }, handler)
        else resolve()
      }
      next()
    })
    await client.close()
  }

  await Promise.all(Array.from({ length: connections }, useConnection))
  return result
}
