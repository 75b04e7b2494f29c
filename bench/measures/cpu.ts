import { isServedBy, PAGES, type BenchPage } from '../pages.ts'
import type { Server } from '../servers.ts'
import { costOfEach } from '../short-turns.ts'
import type { Bench, Measurement } from './measure.ts'

/** Measures the CPU time per request, user and system, of the server and its children. */
export async function measureCpu({ servers, options, load, say }: Bench): Promise<Measurement[]> {
  const seen = PAGES.filter((page) => !page.isExtra && servers.some(({ name }) => isServedBy(page, name)))
  say('warming up')
  for (const page of seen) {
    for (const server of servers) {
      if (isServedBy(page, server.name)) await load.run(server, page.path, { seconds: options.warmUp, isWarmUp: true })
    }
  }
  const samples = new Map<string, number[]>()
  for (let round = 1; round <= options.rounds; round++) {
    say(`CPU, round ${round} of ${options.rounds}`)
    for (const page of seen) {
      const serving = servers.filter(({ name }) => isServedBy(page, name))
      const costs = await costOfEach(load, serving, page.path, options.seconds)
      for (const [index, server] of serving.entries()) append(samples, toKey(server, page.path), costs[index]!)
    }
  }
  return seen.map((page) => toMeasurement(page, servers, samples))
}

/** For a page that the floor does not serve, the floor's samples are those of its page with the same tree. */
function toMeasurement(page: BenchPage, servers: Server[], samples: Map<string, number[]>): Measurement {
  return {
    id: `cpu ${page.label}`,
    label:
      page.floorPath === page.path
        ? `CPU per request, ${page.label}`
        : `CPU per request, ${page.label} relative to ${page.floorPath} of the floor`,
    unit: 'ms',
    samples: Object.fromEntries(
      servers.flatMap((server) => {
        const own = samples.get(toKey(server, server.name === 'floor' ? page.floorPath : page.path))
        return own ? [[server.name, own]] : []
      })
    )
  }
}

const toKey = (server: Server, path: string) => `${server.name} ${path}`

function append(samples: Map<string, number[]>, key: string, sample: number): void {
  samples.set(key, [...(samples.get(key) ?? []), sample])
}
