import type { ContenderName } from '../options.ts'
import { readMemory } from '../processes.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

const PATH = '/list'
/** The same work for everybody: who answers more in the same time would look the fatter for it. */
const REQUESTS = 2_000

/** Resident memory after load, in new processes: one process and the next of the same program differ by a third. */
export async function measureMemory({ built, options, load, serverCore, say }: Bench): Promise<Measurement[]> {
  const samples: Partial<Record<ContenderName, number[]>> = {}
  for (let start = 1; start <= options.starts; start++) {
    say(`memory, start ${start} of ${options.starts}`)
    for (const contender of built) {
      const server = await startServer(contender, serverCore)
      await load.run(server, PATH, { requests: REQUESTS })
      const own = (samples[contender.name] ??= [])
      own.push(readMemory(server.pid))
      await server.stop()
    }
  }
  return [{ id: 'memory', label: 'memory after load', unit: 'bytes', samples }]
}
