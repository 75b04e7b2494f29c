import { PLAIN_LIST } from '../pages.ts'
import { readCpu } from '../processes.ts'
import type { Bench, Measurement } from './measure.ts'

const PATHS = ['/list', PLAIN_LIST] as const

/** Seconds of a turn. */
const TURN = 0.5

/**
 * Measures the CPU per request for fifty cards with `<Link>`, relative to the same page with `<a>`. One server serves
 * both in turns; it reports nothing, so that no work is left after a turn.
 */
export async function measureLink({ servers, options, load, say }: Bench): Promise<Measurement[]> {
  const server = servers.find(({ name }) => name === 'hull-no-inbox')
  if (!server) return []
  const ratios: number[] = []
  for (const path of PATHS) await load.run(server, path, { seconds: options.warmUp, isWarmUp: true })
  for (let round = 1; round <= options.rounds; round++) {
    say(`<Link> and <a>, round ${round} of ${options.rounds}`)
    const cpu = [0, 0]
    const requests = [0, 0]
    for (let turn = 0; turn < (2 * options.seconds) / TURN; turn++) {
      const index = turn % 2
      const before = readCpu(server.pid)
      requests[index]! += await load.run(server, PATHS[index]!, { seconds: TURN })
      cpu[index]! += readCpu(server.pid) - before
    }
    const [link, plain] = cpu.map((used, index) => used / requests[index]!)
    ratios.push(link! / plain!)
  }
  const label = `CPU per request, ${PATHS[0]} with <Link>, relative to <a>`
  return [{ id: 'link', label, unit: 'times', samples: { 'hull-no-inbox': ratios } }]
}
