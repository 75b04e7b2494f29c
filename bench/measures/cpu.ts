import { isServedBy, PAGES, type BenchPage } from '../pages.ts'
import { readCpu } from '../processes.ts'
import type { Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

/** Enough for the optimising compiler to settle: the later turns are no faster than the first. A guess that has been fine. */
const WARM_UP_SECONDS = 3

/** CPU time a request, user and system, of the server and its children. */
export async function measureCpu(bench: Bench): Promise<Measurement[]> {
  const { servers, options, load, say } = bench
  const seen = PAGES.filter((page) => servers.some((server) => isServedBy(page, server.name)))
  say('warming up')
  for (const page of seen) {
    for (const server of servers) {
      if (isServedBy(page, server.name)) await load.run(server, page.path, { seconds: WARM_UP_SECONDS })
    }
  }
  const samples = new Map<string, number[]>()
  for (let round = 1; round <= options.rounds; round++) {
    say(`CPU, round ${round} of ${options.rounds}`)
    for (const page of seen) {
      for (const server of servers) {
        if (isServedBy(page, server.name))
          append(samples, toKey(server, page.path), await runTurn(bench, server, page.path))
      }
    }
  }
  return seen.map((page) => toMeasurement(page, servers, samples))
}

async function runTurn({ load, options }: Bench, server: Server, path: string): Promise<number> {
  const before = readCpu(server.pid)
  const requests = await load.run(server, path, { seconds: options.seconds })
  return (readCpu(server.pid) - before) / requests
}

/** A page only some serve is held against the floor's turns on the same tree. */
function toMeasurement(page: BenchPage, servers: Server[], samples: Map<string, number[]>): Measurement {
  return {
    id: `cpu ${page.label}`,
    label:
      page.floorPath === page.path
        ? `CPU a request, ${page.label}`
        : `CPU a request, ${page.label} to the floor's ${page.floorPath}`,
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
