import { startServer, type Server } from '../servers.ts'
import { costOfEach } from '../short-turns.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const PATH = '/list'

/** Times as long as other measures, 30 s: what runs for one request in ten is compiled ten times as late, most of it within half a minute by V8's own account. */
const WARM_UP_TIMES = 6

/** One round compares a few turns of each: fifteen are needed for a few hundredths. */
const ROUNDS = 15

/** Times as long as other measures: of these few hundredths a round of the usual length says little. */
const LENGTH = 2

/** Processes of each, one after the other: one is a few hundredths faster than the next for as long as it lives. */
const STARTS = 3

/** Shares of the traces that are kept. */
const RATES = ['0', '0.1']

/** CPU a request with monitoring on, in times of what it is without: the server's spans, headers and meta tags. */
export async function measureTracing({
  built,
  options,
  load,
  provider,
  serverCore,
  say
}: Bench): Promise<Measurement[]> {
  const hull = built.find(({ name }) => name === 'hull-no-inbox')
  if (!hull) return []
  const settings = RATES.map((rate) => ({ SENTRY_DSN: provider.dsn, TRACES_SAMPLE_RATE: rate }))
  const ratios = RATES.map((): number[] => [])
  for (let start = 0; start < STARTS; start++) {
    const servers: Server[] = []
    for (const env of [{}, ...settings]) servers.push(await startServer(withEnv(hull, env), serverCore))
    say('warming up')
    for (const server of servers)
      await load.run(server, PATH, { seconds: WARM_UP_TIMES * options.warmUp, isWarmUp: true })
    for (let round = 1; round <= ROUNDS / STARTS; round++) {
      say(`tracing, round ${(start * ROUNDS) / STARTS + round} of ${ROUNDS}`)
      const [base, ...costs] = await costOfEach(load, servers, PATH, LENGTH * options.seconds)
      for (const [index, cost] of costs.entries()) ratios[index]!.push(cost / base!)
    }
    for (const server of servers) await server.stop()
  }
  return RATES.map((rate, index) => ({
    id: `tracing ${rate}`,
    label: `CPU a request, ${PATH}, ${Number(rate) * 100} % of traces kept, to none and no monitoring`,
    unit: 'times',
    samples: { 'hull-no-inbox': ratios[index]! }
  }))
}
