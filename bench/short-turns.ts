import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadGenerator } from './load-generator.ts'
import { readCpu } from './processes.ts'
import type { Server } from './servers.ts'

/** The speed of a shared machine changes within seconds, and affects turns this short, one after the other, alike. */
const TURN_SECONDS = 0.5

/** Milliseconds for the work that a server defers: the transactions of a second, their delivery and their deletion. */
const DEFERRED_WORK = 1_500

/**
 * Milliseconds of CPU per request of each server, user and system, with its children, and with its work between its
 * turns and after them.
 * @param seconds length of all turns of one server together
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
      // Each turn starts with another server.
      const index = (turn + place) % servers.length
      requests[index]! += await load.run(servers[index]!, path, { seconds: TURN_SECONDS })
    }
  await sleep(DEFERRED_WORK)
  return servers.map(({ pid }, index) => (readCpu(pid) - before[index]!) / requests[index]!)
}
