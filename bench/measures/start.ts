import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

/**
 * Measures the time from spawn to the first response of `/` with status 200, in new processes with the data of an
 * earlier one; the files are in the system's cache.
 */
export async function measureStart({ built, options, serverCore, say }: Bench): Promise<Measurement[]> {
  const samples: Measurement['samples'] = {}
  const again = built.map((contender) => withEnv(contender, {}))
  for (let start = 0; start <= options.starts; start++) {
    say(`start ${start} of ${options.starts}`)
    for (const contender of again) {
      const server = await startServer(contender, serverCore)
      await server.stop()
      // The first start creates the data, and is not measured.
      if (start > 0) (samples[contender.name] ??= []).push(server.startedIn)
    }
  }
  return [{ id: 'start', label: 'start to first 200', unit: 'ms', samples }]
}
