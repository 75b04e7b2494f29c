import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the build reads of a package.json. */
export interface Manifest {
  version?: string
  exports?: Record<string, unknown>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * The folder in which Node would find a package, without symbolic links; undefined where it is not installed.
 * @param from the folder of the importing file
 */
export function findPackageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
    if (folder === dirname(folder)) return undefined
  }
}

/** @param folder of the package */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** `@hull/inbox/web` as the package's name and the path in it; undefined for what is no package's name. */
export function splitPackagePath(source: string): { name: string; path: string } | undefined {
  const [, name, path = ''] = /^((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:\/(.*))?$/.exec(source) ?? []
  return name === undefined ? undefined : { name, path }
}

/**
 * The folder that a package offers below a path, such as `@hull/inbox/web`: its manifest exports `./web/*`.
 * @param project the project's folder
 */
export function findOfferedFolder(source: string, project: string): string | undefined {
  const { name, path } = splitPackagePath(source) ?? {}
  const folder = name === undefined ? undefined : findPackageFolder(name, project)
  if (folder === undefined) return undefined
  const target = readManifest(folder).exports?.[`./${path}/*`]
  return typeof target === 'string' ? join(folder, target.replace(/\*$/, '')) : undefined
}

/** Entries that the server has loaded: pages share their modules, and browsers cannot have them. */
export const SERVER_PACKAGES = ['@hull/shell', '@hull/monitoring', '@hull/inbox']

/** Compiled by Vite where an application has them in `node_modules`; the entries above stay outside. */
export const HULL_PACKAGES = ['@hull/common', ...SERVER_PACKAGES]
