import type { ContenderName } from '../options.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

/** From spawn to the first 200 of `/`, in new processes; the files are in the system's cache. */
export async function measureStart({ built, options, serverCore, say }: Bench): Promise<Measurement[]> {
  const samples: Partial<Record<ContenderName, number[]>> = {}
  for (let start = 1; start <= options.starts; start++) {
    say(`start ${start} of ${options.starts}`)
    for (const contender of built) {
      const server = await startServer(contender, serverCore)
      await server.stop()
      const own = (samples[contender.name] ??= [])
      own.push(server.startedIn)
    }
  }
  return [{ id: 'start', label: 'start to first 200', unit: 'ms', samples }]
}
