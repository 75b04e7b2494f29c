import { once } from 'node:events'
import { join } from 'node:path'
import type { Ask, Turn, TurnResult } from './load.ts'
import { startNode } from './processes.ts'
import type { Server } from './servers.ts'

export interface LoadGenerator {
  /**
   * Repeats one request: a page by its path, or the given one.
   * @returns the number of answered requests
   * @throws Error if a status is not 200
   */
  run: (server: Loaded, ask: string | Ask, limit: Limit) => Promise<number>
}

/** Address of the server. */
export type Loaded = Pick<Server, 'origin'> & { name: string }

/** Limits of a turn; the first one reached ends it. */
export interface Limit {
  /** @default 60 */
  seconds?: number
  /** @default 500_000 */
  requests?: number
  /** Requests a second. @default as many as fit */
  rate?: number
  /** A server that is not warm yet may refuse some of it. @default false */
  isWarmUp?: boolean
}

/** One process for all turns: its own warming up is not to be seen in the first. */
export function startLoadGenerator(connections: number, core?: number): LoadGenerator {
  const child = startNode(
    { args: [join(import.meta.dirname, 'load.ts')], cwd: import.meta.dirname, env: {} },
    { core, ipc: true }
  )
  const ended = once(child, 'exit').then(() => {
    throw new Error('The load generator has ended')
  })
  ended.catch(() => {}) // at the end of the run nothing waits for it
  return {
    async run(server, asked, { seconds = 60, requests: maxRequests = 500_000, rate, isWarmUp = false }) {
      const ask = typeof asked === 'string' ? { path: asked } : asked
      const turn: Turn = {
        origin: server.origin,
        ...ask,
        connections,
        seconds,
        maxRequests,
        ...(rate !== undefined && { rate })
      }
      child.send(turn)
      const [{ requests, failures }] = await Promise.race([once(child, 'message') as Promise<[TurnResult]>, ended])
      if ((failures > 0 && !isWarmUp) || requests === failures)
        throw new Error(`${server.name} failed ${failures} of ${requests} requests for ${ask.path}`)
      return requests
    }
  }
}
