import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

/** From spawn to the first 200 of `/`, in new processes, on data of an earlier one; the files are in the system's cache. */
export async function measureStart({ built, options, serverCore, say }: Bench): Promise<Measurement[]> {
  const samples: Measurement['samples'] = {}
  const again = built.map((contender) => withEnv(contender, {}))
  for (let start = 0; start <= options.starts; start++) {
    say(`start ${start} of ${options.starts}`)
    for (const contender of again) {
      const server = await startServer(contender, serverCore)
      await server.stop()
      // The first one makes its data.
      if (start > 0) (samples[contender.name] ??= []).push(server.startedIn)
    }
  }
  return [{ id: 'start', label: 'start to first 200', unit: 'ms', samples }]
}
