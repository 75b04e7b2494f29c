import { parseArgs } from 'node:util'

export const CONTENDER_NAMES = ['floor', 'hull', 'stock', 'next'] as const
export type ContenderName = (typeof CONTENDER_NAMES)[number]

export interface Options {
  /** Who is measured, in the order they take turns; the floor is always one of them. */
  contenders: ContenderName[]
  /** Exit with 1 when a ratio misses its bound. */
  check: boolean
  /** File for every sample of the run. */
  json?: string
  /** Turns each contender gets per page. */
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
  --rounds n        turns per page (default 7)
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
  const wanted = values.only?.split(',') ?? (values.peers ? CONTENDER_NAMES : ['hull'])
  const stranger = wanted.find((name) => !CONTENDER_NAMES.some((known) => known === name))
  if (stranger !== undefined) throw new Error(`--only takes ${CONTENDER_NAMES.join(', ')}; it was given "${stranger}"`)
  return {
    contenders: CONTENDER_NAMES.filter((name) => name === 'floor' || wanted.includes(name)),
    check: values.check,
    ...(values.json !== undefined && { json: values.json }),
    rounds: toNumber('--rounds', values.rounds, 1, 100),
    seconds: toNumber('--seconds', values.seconds, 0.2, 60),
    connections: toNumber('--connections', values.connections, 1, 512),
    starts: toNumber('--starts', values.starts, 1, 50)
  }
}

function toNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text)
  if (!(number >= least && number <= most))
    throw new Error(`${option} takes a number from ${least} to ${most}; it was given "${text}"`)
  return number
}
