import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/** The fields of a package.json that the build reads. */
export interface Manifest {
  version?: string
  exports?: Record<string, unknown>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * Returns the folder where Node finds a package, with symbolic links resolved; undefined if the package is not
 * installed.
 * @param from folder of the importing file
 */
export function findPackageFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
    if (folder === dirname(folder)) return undefined
  }
}

/** @param folder the package's folder */
export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/**
 * Splits an import such as `@hull/inbox/web` into the package's name and the path inside; undefined if it is not a
 * package's.
 */
export function splitPackagePath(source: string): { name: string; path: string } | undefined {
  const [, name, path = ''] = /^((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:\/(.*))?$/.exec(source) ?? []
  return name === undefined ? undefined : { name, path }
}

/**
 * Returns the folder that a package exports at a path, such as `@hull/inbox/web` if its manifest exports `./web/*`.
 * @param project the project's folder
 */
export function findExportedFolder(source: string, project: string): string | undefined {
  const { name, path } = splitPackagePath(source) ?? {}
  const folder = name === undefined ? undefined : findPackageFolder(name, project)
  if (folder === undefined) return undefined
  const target = readManifest(folder).exports?.[`./${path}/*`]
  return typeof target === 'string' ? join(folder, target.replace(/\*$/, '')) : undefined
}

/** Entries that the server loads itself, so that pages share their modules. Browser code cannot import them. */
export const SERVER_PACKAGES = ['@hull/shell', '@hull/monitoring', '@hull/inbox']

/** Hull's packages. Vite compiles their modules even if they are in `node_modules`; the entries above stay external. */
export const HULL_PACKAGES = ['@hull/common', ...SERVER_PACKAGES]

/** Returns a function that finds the one of Hull's packages that contains a file, seen from a folder. */
export function createHullFinder(from: string): (file: string) => { name: string; folder: string } | undefined {
  const packages = HULL_PACKAGES.flatMap((name) => {
    const folder = findPackageFolder(name, from)
    return folder === undefined ? [] : [{ name, folder: folder + sep }]
  })
  return (file) => packages.find(({ folder }) => file.startsWith(folder))
}
