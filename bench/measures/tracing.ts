import { startProvider } from '../provider.ts'
import { startServer, type Server } from '../servers.ts'
import { costOfEach } from '../short-turns.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const PATH = '/list'

/** What runs for one request in ten is compiled ten times as late. */
const WARM_UP_SECONDS = 20

/** One round compares a few turns of each: fifteen are needed for a few hundredths. */
const ROUNDS = 15

/** Shares of the traces that are kept. */
const RATES = ['0', '0.1']

/** CPU a request with monitoring on, in times of what it is without: the server's spans, headers and meta tags. */
export async function measureTracing(bench: Bench): Promise<Measurement[]> {
  const { built, options, load, loadCore, serverCore, say } = bench
  const hull = built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const provider = await startProvider(loadCore)
  const base = await startServer(withEnv(hull, {}), serverCore)
  const traced: Server[] = []
  for (const rate of RATES)
    traced.push(await startServer(withEnv(hull, { SENTRY_DSN: provider.dsn, TRACES_SAMPLE_RATE: rate }), serverCore))
  const all = [base, ...traced]
  for (const server of all) await load.run(server, PATH, { seconds: WARM_UP_SECONDS, isWarmUp: true })

  const ratios = RATES.map((): number[] => [])
  for (let round = 1; round <= ROUNDS; round++) {
    say(`tracing, round ${round} of ${ROUNDS}`)
    const costs = await costOfEach(load, all, PATH, options.seconds)
    for (const [index, own] of ratios.entries()) own.push(costs[index + 1]! / costs[0]!)
  }
  for (const server of all) await server.stop()
  await provider.stop()
  return RATES.map((rate, index) => ({
    id: `tracing ${rate}`,
    label: `CPU a request, ${PATH}, ${Number(rate) * 100} % of traces kept, to none and no monitoring`,
    unit: 'times',
    samples: { hull: ratios[index]! }
  }))
}
