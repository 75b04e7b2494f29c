import type { LoadGenerator } from './load-generator.ts'
import { readCpu } from './processes.ts'
import type { Server } from './servers.ts'

/** A machine shared with others changes its pace within seconds: turns this short, one after the other, all feel it alike. */
const TURN_SECONDS = 0.5

/**
 * CPU a request of each server, milliseconds, user and system, its children included.
 * @param seconds for each server, in short turns
 */
export async function costOfEach(
  load: LoadGenerator,
  servers: readonly Server[],
  path: string,
  seconds: number
): Promise<number[]> {
  const sums = servers.map(() => ({ cpu: 0, requests: 0 }))
  for (let turn = 0; turn < seconds / TURN_SECONDS; turn++)
    for (const [index, server] of servers.entries()) {
      const before = readCpu(server.pid)
      sums[index]!.requests += await load.run(server, path, { seconds: TURN_SECONDS })
      sums[index]!.cpu += readCpu(server.pid) - before
    }
  return sums.map(({ cpu, requests }) => cpu / requests)
}
