import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLoadGenerator, type LoadGenerator } from '../load-generator.ts'
import { readCpu, untilIdle } from '../processes.ts'
import { startServer, type Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const PATH = '/list'

/** Requests per turn: so many that the inbox's work of every minute is a small part of a turn. */
const REQUESTS = 2_000

/** Connections, one request at a time on each. With one, a batch of the SDK fills slowly. */
const CONNECTIONS = [1, 32]

/** Milliseconds to wait at most until the traces of a turn are stored, and milliseconds between two checks. */
const PATIENCE = 30_000
const POLL = 200

/**
 * Measures how many milliseconds of CPU a sampled request costs more than an unsampled one, with the inbox as provider,
 * until its trace is stored. Two servers take turns: one samples every request, the other none.
 * @throws Error when the inbox does not store every trace
 */
export async function measureSampled({ built, options, serverCore, loadCore, say }: Bench): Promise<Measurement[]> {
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const sampling = withEnv(hull, { TRACES_SAMPLE_RATE: '1' })
  const file = join(sampling.launch.env['DATA_DIR']!, 'inbox.db')
  const sampled = await startServer(sampling, serverCore)
  const unsampled = await startServer(withEnv(hull, { TRACES_SAMPLE_RATE: '0' }), serverCore)

  async function costOf(server: Server, load: LoadGenerator): Promise<number> {
    await untilIdle(server.pid)
    const before = readCpu(server.pid)
    const wanted = countStored(file) + REQUESTS
    await load.run(server, PATH, { requests: REQUESTS })
    if (server === sampled) await untilStored(file, wanted)
    await untilIdle(server.pid)
    return (readCpu(server.pid) - before) / REQUESTS
  }

  const measurements: Measurement[] = []
  for (const connections of CONNECTIONS) {
    const load = startLoadGenerator(connections, loadCore)
    say(`sampled and unsampled requests, ${connections} at a time: warming up`)
    for (const server of [unsampled, sampled]) await load.run(server, PATH, { seconds: options.warmUp, isWarmUp: true })
    const more: number[] = []
    for (let round = 1; round <= options.rounds; round++) {
      say(`sampled and unsampled requests, ${connections} at a time, round ${round} of ${options.rounds}`)
      const base = await costOf(unsampled, load)
      more.push((await costOf(sampled, load)) - base)
    }
    const label = `additional CPU of a sampled request for ${PATH}, ${connections} at a time`
    measurements.push({ id: `sampled ${connections}`, label, unit: 'ms', samples: { hull: more } })
  }
  for (const server of [unsampled, sampled]) await server.stop()
  return measurements
}

async function untilStored(file: string, wanted: number): Promise<void> {
  const end = performance.now() + PATIENCE
  for (let stored = countStored(file); stored < wanted; stored = countStored(file)) {
    if (performance.now() > end)
      throw new Error(`The inbox has not stored ${wanted - stored} of ${REQUESTS} sampled requests`)
    await sleep(POLL)
  }
}

/** Counts the requests whose traces the inbox has stored. */
function countStored(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const row = db.prepare(`SELECT count(*) AS rows FROM span WHERE is_segment = 1 AND side = 'server'`).get()
    return (row as { rows: number }).rows
  } finally {
    db.close()
  }
}
