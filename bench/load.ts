import { Client, type Dispatcher } from 'undici'

/** One turn: as many requests as fit, one at a time on each connection. */
export interface Turn {
  origin: string
  path: string
  connections: number
  seconds: number
  /** Ends the turn before its time. */
  maxRequests: number
}

export interface TurnResult {
  requests: number
  /** Answers other than 200, and broken connections. */
  failures: number
}

process.on('message', async function runTurnAndReport(turn: Turn) {
  process.send!(await runTurn(turn))
})

async function runTurn({ origin, path, connections, seconds, maxRequests }: Turn): Promise<TurnResult> {
  const end = performance.now() + seconds * 1000
  const result: TurnResult = { requests: 0, failures: 0 }
  let begun = 0
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
        if (mayBegin()) client.dispatch({ method: 'GET', path, headers: { accept: 'text/html' } }, handler)
        else resolve()
      }
      next()
    })
    await client.close()
  }

  await Promise.all(Array.from({ length: connections }, useConnection))
  return result
}
