import { once } from 'node:events'
import { join } from 'node:path'
import type { Turn, TurnResult } from './load.ts'
import { startNode } from './processes.ts'
import type { Server } from './servers.ts'

export interface LoadGenerator {
  /** Loads one page. @returns how many requests it answered @throws Error when one was answered otherwise than with 200 */
  run: (server: Server, path: string, limit: Limit) => Promise<number>
}

/** What ends a turn, whichever comes first. */
export interface Limit {
  /** @default 60 */
  seconds?: number
  /** @default 500_000 */
  requests?: number
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
  ended.catch(() => {}) // at the end of the run nobody waits for it
  return {
    async run(server, path, { seconds = 60, requests: maxRequests = 500_000 }) {
      const turn: Turn = { origin: server.origin, path, connections, seconds, maxRequests }
      child.send(turn)
      const [{ requests, failures }] = await Promise.race([once(child, 'message') as Promise<[TurnResult]>, ended])
      if (failures > 0 || requests === 0)
        throw new Error(`${server.name} failed ${failures} of ${requests} requests for ${path}`)
      return requests
    }
  }
}
