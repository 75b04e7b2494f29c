import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator } from './load-generator.ts'
import { readCpu } from './processes.ts'
import type { Server } from './servers.ts'

/** A machine shared with others changes its pace within seconds: turns this short, one after the other, all feel it alike. */
const TURN_SECONDS = 0.5

/** Milliseconds for what a server puts off: a second's transactions, their delivery and deletion. */
const AFTERMATH = 1_500

/**
 * CPU a request of each server, milliseconds, user and system, its children included, with all that it does between its
 * turns and after them.
 * @param seconds for each server, in short turns
 */
export async function costOfEach(
  load: LoadGenerator,
  servers: readonly Server[],
  path: string,
  seconds: number
): Promise<number[]> {
  const before = servers.map(({ pid }) => readCpu(pid))
  const requests = servers.map(() => 0)
  for (let turn = 0; turn < seconds / TURN_SECONDS; turn++)
    for (let place = 0; place < servers.length; place++) {
      // Not always the same one after the same.
      const index = (turn + place) % servers.length
      requests[index]! += await load.run(servers[index]!, path, { seconds: TURN_SECONDS })
    }
  await sleep(AFTERMATH)
  return servers.map(({ pid }, index) => (readCpu(pid) - before[index]!) / requests[index]!)
}
