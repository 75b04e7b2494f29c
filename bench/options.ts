import { parseArgs } from 'node:util'

export const CONTENDER_NAMES = ['floor', 'hull', 'stock', 'next'] as const
export type ContenderName = (typeof CONTENDER_NAMES)[number]

export const MEASURE_NAMES = [
  'cpu',
  'scripts',
  'start',
  'memory',
  'navigation',
  'tunnel',
  'tunnel-memory',
  'tracing',
  'inbox',
  'inbox-reads',
  'inbox-retention',
  'inbox-pages'
] as const
export type MeasureName = (typeof MEASURE_NAMES)[number]

export interface Options {
  /** Who is measured, in the order they take turns; the floor is always one of them. */
  contenders: ContenderName[]
  /** What is measured, in this order. */
  measures: MeasureName[]
  /** Exit with 1 when a ratio misses its bound. */
  check: boolean
  /** File for every sample of the run. */
  json?: string
  /** Turns each contender gets per page, and tabs for its navigations. */
  rounds: number
  /** Length of a turn. */
  seconds: number
  /** Connections of the load generator, one request at a time on each. */
  connections: number
  /** New processes of each contender, for its start and again for its memory. */
  starts: number
}

export const USAGE = `npm run bench [-- options]
  --peers           measure stock @fastify/react and Next too
  --only a,b        measure these beside the floor: ${CONTENDER_NAMES.slice(1).join(', ')}
  --measure a,b     measure these only: ${MEASURE_NAMES.join(', ')}
  --rounds n        turns per page, tabs for navigation (default 7)
  --seconds n       length of a turn (default 1.5)
  --connections n   connections of the load generator (default 32)
  --starts n        new processes for start and memory (default 5)
  --json file       write every sample to a file
  --check           exit with 1 when a ratio misses its bound
  --help            this`

/** @returns undefined when asked for help @throws Error with one sentence for whoever typed it */
export function parseOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      peers: { type: 'boolean', default: false },
      only: { type: 'string' },
      measure: { type: 'string' },
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '1.5' },
      connections: { type: 'string', default: '32' },
      starts: { type: 'string', default: '5' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false }
    }
  })
  if (values.help) return undefined
  const wanted = toNames('--only', values.only, CONTENDER_NAMES) ?? (values.peers ? CONTENDER_NAMES : ['hull'])
  const measures = toNames('--measure', values.measure, MEASURE_NAMES) ?? MEASURE_NAMES
  return {
    contenders: CONTENDER_NAMES.filter((name) => name === 'floor' || wanted.includes(name)),
    measures: MEASURE_NAMES.filter((name) => measures.includes(name)),
    check: values.check,
    ...(values.json !== undefined && { json: values.json }),
    rounds: toNumber('--rounds', values.rounds, 1, 100),
    seconds: toNumber('--seconds', values.seconds, 0.2, 60),
    connections: toNumber('--connections', values.connections, 1, 512),
    starts: toNumber('--starts', values.starts, 1, 50)
  }
}

function toNames(option: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  const names = text?.split(',')
  const stranger = names?.find((name) => !known.includes(name))
  if (stranger !== undefined) throw new Error(`${option} takes ${known.join(', ')}; it was given "${stranger}"`)
  return names
}

function toNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (!(number >= least && number <= most))
    throw new Error(`${option} takes a number from ${least} to ${most}; it was given "${text}"`)
  return number
}
