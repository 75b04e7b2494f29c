import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { BENCH, PROJECT } from './contenders/contender.ts'
import { NAMES } from './names.ts'
import type { ContenderName, Options } from './options.ts'

/** Machine, versions and date of a run. */
export interface Circumstances extends Pick<
  Options,
  'rounds' | 'seconds' | 'connections' | 'starts' | 'warmUp' | 'load'
> {
  /** YYYY-MM-DD. */
  date: string
  /** Commit of the repository; ends with `+` if files were changed since. */
  commit: string
  node: string
  kernel: string
  cpu: string
  cores: number
  /** In bytes. */
  memory: number
  /** Whether servers and load were pinned to one core each. */
  pinned: boolean
  /** Versions of the frameworks that took part. */
  versions: Array<{ name: ContenderName; version: string }>
}

export function readCircumstances(options: Options, pinned: boolean): Circumstances {
  const { rounds, seconds, connections, starts, warmUp, load } = options
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: readCommit(),
    node: process.version,
    kernel: release(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory: totalmem(),
    pinned,
    rounds,
    seconds,
    connections,
    starts,
    warmUp,
    load,
    versions: options.contenders.flatMap(readVersion)
  }
}

function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+')
  } catch {
    return 'unknown'
  }
}

function readVersion(name: ContenderName): Circumstances['versions'] {
  const { package: wanted } = NAMES[name]
  if (wanted === undefined) return []
  const { dependencies } = JSON.parse(readFileSync(join(BENCH, 'peers', name, 'package.json'), 'utf8'))
  return [{ name, version: `${wanted} ${dependencies[wanted]}` }]
}
