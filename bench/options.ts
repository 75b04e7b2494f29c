import { parseArgs } from 'node:util'

export const CONTENDER_NAMES = [
  'floor',
  'hull',
  'hull-no-inbox',
  'stock',
  'tanstack',
  'react-router',
  'next',
  'next-sentry'
] as const
export type ContenderName = (typeof CONTENDER_NAMES)[number]

export const MEASURE_NAMES = [
  'cpu',
  'link',
  'sampled',
  'growth',
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
  'inbox-alerts',
  'inbox-pages',
  'inbox-api',
  'inbox-issues',
  'database'
] as const
export type MeasureName = (typeof MEASURE_NAMES)[number]

export interface Options {
  /** Contenders, in the order of their turns; always includes the floor. */
  contenders: ContenderName[]
  /** Measures, in the order in which they run. */
  measures: MeasureName[]
  /** Whether to exit with 1 if a ratio misses its bound. */
  check: boolean
  /** File for every sample of the run. */
  json?: string
  /** Turns of each contender per page, and tabs of each contender for navigation. */
  rounds: number
  /** Length of a turn, in seconds. */
  seconds: number
  /** Connections of the load generator, one request at a time on each. */
  connections: number
  /** New processes of each contender, for its start and again for its memory. */
  starts: number
  /** Seconds of requests to a page before the page is measured. */
  warmUp: number
  /** Seconds of load before memory is read, and of envelopes for the inbox. */
  load: number
  /** Folder for `performance.md` and its drawings. */
  write?: string
  /** Files of earlier runs, which are joined instead of a new measurement. */
  from?: string[]
}

export const USAGE = `npm run bench [-- options]
  --peers           measure the frameworks too
  --only a,b        contenders besides the floor: ${CONTENDER_NAMES.slice(1).join(', ')}
  --measure a,b     run only these measures: ${MEASURE_NAMES.join(', ')}
  --rounds n        turns per page, tabs for navigation (default 7)
  --seconds n       length of a turn (default 1.5)
  --connections n   connections of the load generator (default 32)
  --starts n        new processes for start and memory (default 5)
  --warm-up n       seconds of requests to a page before it is measured (default 5)
  --load n          seconds of load before memory is read, and for the inbox (default 60)
  --quick           very short turns: checks that everything works; the figures mean nothing
  --json file       write every sample to a file
  --from a,b        measure nothing, and join the files that --json wrote
  --write folder    write performance.md and its drawings into a folder
  --check           exit with 1 if a ratio misses its bound
  --help            print this text`

/** Default contenders, besides the floor. */
const HULLS: readonly ContenderName[] = ['hull', 'hull-no-inbox']

/**
 * V8's compiler threads take a fifth of the processor time of `/` during the first seconds of load, and a hundredth after
 * ten seconds. Most of the code is the same for all pages, so five seconds for each page are enough.
 */
const USUAL = { rounds: 7, seconds: 1.5, starts: 5, warmUp: 5, load: 60 }
const QUICK = { rounds: 1, seconds: 0.5, starts: 1, warmUp: 0.5, load: 2 }

/** @returns undefined if help was requested @throws Error with a sentence for the user */
export function parseOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      peers: { type: 'boolean', default: false },
      only: { type: 'string' },
      measure: { type: 'string' },
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '32' },
      starts: { type: 'string' },
      'warm-up': { type: 'string' },
      load: { type: 'string' },
      json: { type: 'string' },
      write: { type: 'string' },
      from: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false }
    }
  })
  if (values.help) return undefined
  const wanted = toNames('--only', values.only, CONTENDER_NAMES) ?? (values.peers ? CONTENDER_NAMES : HULLS)
  const measures = toNames('--measure', values.measure, MEASURE_NAMES) ?? MEASURE_NAMES
  const length = values.quick ? QUICK : USUAL
  return {
    contenders: CONTENDER_NAMES.filter((name) => name === 'floor' || wanted.includes(name)),
    measures: MEASURE_NAMES.filter((name) => measures.includes(name)),
    check: values.check,
    ...(values.json !== undefined && { json: values.json }),
    ...(values.write !== undefined && { write: values.write }),
    ...(values.from !== undefined && { from: values.from.split(',') }),
    rounds: toNumber('--rounds', values.rounds ?? length.rounds, 1, 100),
    seconds: toNumber('--seconds', values.seconds ?? length.seconds, 0.2, 60),
    connections: toNumber('--connections', values.connections, 1, 512),
    starts: toNumber('--starts', values.starts ?? length.starts, 1, 50),
    warmUp: toNumber('--warm-up', values['warm-up'] ?? length.warmUp, 0.2, 60),
    load: toNumber('--load', values.load ?? length.load, 1, 600)
  }
}

function toNames(option: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  const names = text?.split(',')
  const unknownName = names?.find((name) => !known.includes(name))
  if (unknownName !== undefined) throw new Error(`${option} takes ${known.join(', ')}; it was given "${unknownName}"`)
  return names
}

function toNumber(option: string, text: string | number, min: number, max: number): number {
  const number = Number(text)
  if (!(number >= min && number <= max))
    throw new Error(`${option} takes a number from ${min} to ${max}; it was given "${text}"`)
  return number
}
