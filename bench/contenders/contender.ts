import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ContenderName } from '../options.ts'
import { flushDisk, startNode, type Launch } from '../processes.ts'
import type { Provider } from '../provider.ts'
import type { Built } from '../servers.ts'

/** A server of the pages of `bench/tree`, built with one framework. */
export interface Contender {
  name: ContenderName
  /** Installs and builds the contender. @returns how to start it */
  prepare: (provider: Provider) => Promise<Built['launch']>
}

/** Root folder of the repository. */
export const PROJECT = join(import.meta.dirname, '../..')
export const BENCH = join(PROJECT, 'bench')
/** Folder for builds, installed packages and logs; not under version control. */
export const CACHE = join(BENCH, '.cache')

/** Folder in which a contender is built. */
export const folderOf = (name: string) => join(CACHE, name)
export const logOf = (name: string) => join(CACHE, `${name}.log`)

/** Creates a folder, and deletes its content except for the names in `keep`. */
export async function emptyFolder(folder: string, keep: string[] = []): Promise<void> {
  await mkdir(folder, { recursive: true })
  const old = (await readdir(folder)).filter((name) => !keep.includes(name))
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true })))
}

export async function copyInto(folder: string, source: string): Promise<void> {
  await cp(source, folder, { recursive: true })
}

/** Runs a build step, and waits until it exits. @throws Error that names its log */
export async function runNode(name: string, launch: Omit<Launch, 'log'>): Promise<void> {
  const log = join(CACHE, `${name}-build.log`)
  const child = startNode({ ...launch, log })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0)
    throw new Error(`${name}: "node ${launch.args.join(' ')}" exited with ${code}; its output is in ${log}`)
  flushDisk()
}
