import { setTimeout as sleep } from 'node:timers/promises'
import { readMemory } from '../processes.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const PATH = '/list'

/** Milliseconds after the first response, for the work of a server after its start. */
const SETTLE = 3_000

/** Limit of new processes, because each takes a minute. */
const MAX_STARTS = 3

/**
 * Measures the resident memory of new processes, idle and after load. Two processes of the same program can differ by a
 * third.
 */
export async function measureMemory({ built, options, load, serverCore, say }: Bench): Promise<Measurement[]> {
  const idle: Measurement['samples'] = {}
  const loaded: Measurement['samples'] = {}
  const starts = Math.min(options.starts, MAX_STARTS)
  for (let start = 1; start <= starts; start++) {
    for (const contender of built) {
      say(`memory of ${contender.name}, start ${start} of ${starts}`)
      const server = await startServer(withEnv(contender, {}), serverCore)
      await sleep(SETTLE)
      ;(idle[contender.name] ??= []).push(readMemory(server.pid))
      await load.run(server, PATH, { seconds: options.load, isWarmUp: true })
      ;(loaded[contender.name] ??= []).push(readMemory(server.pid))
      await server.stop()
    }
  }
  return [
    { id: 'idle', label: 'memory, idle', unit: 'bytes', samples: idle },
    { id: 'memory', label: `memory after ${options.load} s of load`, unit: 'bytes', samples: loaded }
  ]
}
