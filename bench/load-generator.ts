import { once } from 'node:events'
import { join } from 'node:path'
import type { LoadRequest, Turn, TurnResult } from './load.ts'
import { startNode } from './processes.ts'
import type { Server } from './servers.ts'

export interface LoadGenerator {
  /**
   * Repeats one request: a GET request for a page, if a path is given, or the given request.
   * @returns the number of requests that got a response
   * @throws Error if a status code is not 200
   */
  run: (server: LoadTarget, request: string | LoadRequest, limit: Limit) => Promise<number>
}

/** Address and name of the server that gets the requests. */
export type LoadTarget = Pick<Server, 'origin'> & { name: string }

/** Limits of a turn; the turn ends at the first limit that is reached. */
export interface Limit {
  /** @default 60 */
  seconds?: number
  /** @default 500_000 */
  requests?: number
  /** Requests per second. @default as many as the server answers */
  rate?: number
  /** Allows some requests to fail, because a server that is not warm yet may refuse requests. @default false */
  isWarmUp?: boolean
}

/** Starts one process for all turns, so that the warm-up of the generator itself does not distort a later turn. */
export function startLoadGenerator(connections: number, core?: number): LoadGenerator {
  const child = startNode(
    { args: [join(import.meta.dirname, 'load.ts')], cwd: import.meta.dirname, env: {} },
    { core, ipc: true }
  )
  const ended = once(child, 'exit').then(() => {
    throw new Error('The load generator has exited')
  })
  ended.catch(() => {}) // The process also exits at the end of the run, when nothing awaits this promise.
  return {
    async run(server, pathOrRequest, { seconds = 60, requests: maxRequests = 500_000, rate, isWarmUp = false }) {
      const request = typeof pathOrRequest === 'string' ? { path: pathOrRequest } : pathOrRequest
      const turn: Turn = {
        origin: server.origin,
        ...request,
        connections,
        seconds,
        maxRequests,
        ...(rate !== undefined && { rate })
      }
      child.send(turn)
      const [{ requests, failures }] = await Promise.race([once(child, 'message') as Promise<[TurnResult]>, ended])
      if ((failures > 0 && !isWarmUp) || requests === failures)
        throw new Error(`${failures} of ${requests} requests to ${server.name} for ${request.path} failed`)
      return requests
    }
  }
}
