import { startServer, type Server } from '../servers.ts'
import { costOfEach } from '../short-turns.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const PATH = '/list'

/**
 * Factor for the warm-up of other measures: 30 s. Code that runs for one request in ten is compiled ten times as late;
 * V8's own trace shows most of it within half a minute.
 */
const WARM_UP_TIMES = 6

/** One round compares a few turns of each server; a difference of a few hundredths needs fifteen rounds. */
const ROUNDS = 15

/** Factor for the length of a round: a difference of a few hundredths is not visible in a round of the usual length. */
const LENGTH = 2

/**
 * Processes of each server, one after the other, because a process can be a few hundredths faster than the next all its
 * life.
 */
const STARTS = 3

/** Sample rates of traces. */
const RATES = ['0', '0.1']

/**
 * Measures the CPU per request with monitoring (spans, headers and meta tags of the server), relative to a server
 * without monitoring.
 */
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
    label: `CPU per request, ${PATH}, ${Number(rate) * 100} % of traces sampled, relative to no monitoring`,
    unit: 'times',
    samples: { 'hull-no-inbox': ratios[index]! }
  }))
}
