import { buildWithPages } from '../contenders/hull.ts'
import { startLoadGenerator, type LoadGenerator } from '../load-generator.ts'
import type { ContenderName } from '../options.ts'
import { cardsPath, GROWING } from '../pages.ts'
import { readMemory } from '../processes.ts'
import { startServer, type Server } from '../servers.ts'
import { costOfEach } from '../short-turns.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

const CARDS = [50, 200, 1_000, 5_000]
const CONNECTIONS = [1, 4, 16, 64]
const PAGES = [1, 10, 100, 1_000]

/** Only a few connections, because a response with 5,000 cards takes tens of milliseconds. */
const CONNECTIONS_FOR_CARDS = 4

/** One point of a growth curve: requests to one path. */
interface Step {
  /** Ends with the number of cards or connections. */
  id: string
  label: string
  load: LoadGenerator
  path: string
}

/**
 * Measures the CPU per request with more cards and with more connections, and the start, the memory and the CPU per
 * request of an application with more pages.
 */
export async function measureGrowth(bench: Bench): Promise<Measurement[]> {
  const { servers, loadCore } = bench
  const subjects = servers.filter(({ name }) => GROWING.some((growing) => growing === name))
  const forCards = startLoadGenerator(CONNECTIONS_FOR_CARDS, loadCore)
  const steps = [
    ...CARDS.map((count) => ({
      id: `growth cards ${count}`,
      label: `CPU per request, ${count} cards`,
      load: forCards,
      path: cardsPath(count)
    })),
    ...CONNECTIONS.map((count) => ({
      id: `growth connections ${count}`,
      label: `CPU per request, /list, ${count} connections`,
      load: startLoadGenerator(count, loadCore),
      path: '/list'
    }))
  ]
  return [...(await measureSteps(bench, steps, subjects)), ...(await measurePages(bench))]
}

async function measureSteps({ options, say }: Bench, steps: Step[], servers: Server[]): Promise<Measurement[]> {
  const measurements = steps.map(({ id, label }): Measurement => ({ id, label, unit: 'ms', samples: {} }))
  for (const { load, path } of steps)
    for (const server of servers) await load.run(server, path, { seconds: options.warmUp, isWarmUp: true })
  for (let round = 1; round <= options.rounds; round++) {
    say(`growth, round ${round} of ${options.rounds}`)
    for (const [index, { load, path }] of steps.entries()) {
      const costs = await costOfEach(load, servers, path, options.seconds)
      for (const [place, { name }] of servers.entries()) (measurements[index]!.samples[name] ??= []).push(costs[place]!)
    }
  }
  return measurements
}

/** The applications differ only in their number of pages; the requested page is the last one. */
async function measurePages({ options, load, servers, serverCore, say }: Bench): Promise<Measurement[]> {
  const name: ContenderName = 'hull-no-inbox'
  if (!servers.some((server) => server.name === name)) return []
  const grown = []
  for (const count of PAGES) {
    say(`growth: building an application with ${count} more pages`)
    const { built, path } = await buildWithPages(count)
    grown.push({ count, path, contender: withEnv(built, {}) })
  }
  const start = new Map<number, number[]>(PAGES.map((count) => [count, []]))
  const memory = new Map<number, number[]>(PAGES.map((count) => [count, []]))
  const cpu = new Map<number, number[]>(PAGES.map((count) => [count, []]))
  for (let round = 0; round <= options.starts; round++) {
    say(`growth of pages, start ${round} of ${options.starts}`)
    for (const { count, path, contender } of grown) {
      const server = await startServer(contender, serverCore)
      // The first start creates the data, and is not measured.
      if (round > 0) {
        start.get(count)!.push(server.startedIn)
        memory.get(count)!.push(readMemory(server.pid))
        await load.run(server, path, { seconds: options.warmUp, isWarmUp: true })
        cpu.get(count)!.push(...(await costOfEach(load, [server], path, options.seconds)))
      }
      await server.stop()
    }
  }
  const toMeasurement = (what: string, label: string, unit: string, samples: Map<number, number[]>) =>
    PAGES.map((count): Measurement => ({
      id: `growth ${what} ${count}`,
      label: `${label}, ${count} more pages`,
      unit,
      samples: { [name]: samples.get(count)! }
    }))
  return [
    ...toMeasurement('start', 'start to first 200', 'ms', start),
    ...toMeasurement('memory', 'memory after the first 200', 'bytes', memory),
    ...toMeasurement('pages', 'CPU per request', 'ms', cpu)
  ]
}
