import { readFileSync } from 'node:fs'
import type { Circumstances } from './circumstances.ts'
import type { Measurement } from './measures/measure.ts'
import { CONTENDER_NAMES, type ContenderName } from './options.ts'

/** Circumstances and measurements of a run, as `--json` writes them. */
export interface Run extends Circumstances {
  contenders: ContenderName[]
  measurements: Measurement[]
}

/** Reads runs that `--json` wrote, and joins them. @throws Error that names a file which cannot be read */
export function readRuns(files: string[]): Run {
  return joinRuns(
    files.map((file) => {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as Run
      } catch (error) {
        throw new Error(`--from cannot read ${file}: ${(error as Error).message}`)
      }
    })
  )
}

/**
 * Joins runs of different measures. Each ratio still compares turns of one run.
 * @throws Error if the runs have different machines, commits or settings, or if two runs have the same measurement
 */
export function joinRuns(runs: Run[]): Run {
  const [first] = runs
  if (!first) throw new Error('--from takes the files of earlier runs')
  const setting = toSetting(first)
  const ids = new Set<string>()
  for (const run of runs) {
    if (toSetting(run) !== setting)
      throw new Error(`The runs differ in machine, commit or settings: ${setting} and ${toSetting(run)}`)
    for (const { id } of run.measurements) {
      if (ids.has(id)) throw new Error(`"${id}" is in two of the runs`)
      ids.add(id)
    }
  }
  const versions = new Map(runs.flatMap((run) => run.versions).map((version) => [version.name, version]))
  return {
    ...first,
    date: runs.map(({ date }) => date).toSorted()[0]!,
    versions: [...versions.values()],
    contenders: CONTENDER_NAMES.filter((name) => runs.some(({ contenders }) => contenders.includes(name))),
    measurements: runs.flatMap(({ measurements }) => measurements)
  }
}

/** Circumstances that must be equal, so that figures of two runs can be joined in one table. */
const SETTING: (keyof Circumstances)[] = [
  'commit',
  'node',
  'kernel',
  'cpu',
  'cores',
  'pinned',
  'rounds',
  'seconds',
  'connections',
  'starts',
  'warmUp',
  'load'
]

const toSetting = (run: Run) => JSON.stringify(run, SETTING)
