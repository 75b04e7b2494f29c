import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { PackageInternal, PackageMissing, PackageTwice } from '../../errors.ts'
import { findPackageFolder, readManifest, splitPackagePath } from './installed-packages.ts'

/** Files in which an application imports Hull's packages. */
const SOURCES = ['*.{ts,js}', '{client,plugins,routes}/**/*.{ts,tsx,js,jsx}']

const SCOPE = '@hull/'

const IMPORT = /^@hull\/[\w.~/-]+$/

/**
 * Checks that each of Hull's packages that the application imports is installed once, and imported through a public
 * entry.
 * @param project the project's folder
 * @throws PackageMissing, PackageInternal, PackageTwice
 */
export function checkPackages(project: string): void {
  const folders = new Map<string, string>()
  for (const file of globSync(SOURCES, { cwd: project })) {
    for (const source of importsOf(file, readFileSync(join(project, file), 'utf8'))) {
      const { name, path } = splitPackagePath(source)!
      const folder = findPackageFolder(name, project)
      if (folder === undefined) throw new PackageMissing(file, name, name)
      checkEntry(file, source, path, name, folder)
      folders.set(name, folder)
    }
  }
  for (const folder of folders.values()) checkDependencies(folder, folders, project)
}

/** Returns what a file imports of Hull's packages; nothing of a file that cannot be parsed, which others report. */
function importsOf(file: string, code: string): string[] {
  if (!code.includes(SCOPE)) return []
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    // With its quotes. An expression is no name.
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start + 1, end - 1))
  ].filter((source) => IMPORT.test(source))
}

/** Only Hull's packages may import `@hull/common`. */
function checkEntry(file: string, source: string, path: string, name: string, folder: string): void {
  const entries = name === '@hull/common' ? [] : Object.keys(readManifest(folder).exports ?? {})
  const names = entries.filter((entry) => !entry.includes('*')).map((entry) => name + entry.slice(1))
  if (!names.includes(path === '' ? name : source))
    throw new PackageInternal(file, source, names.join(', ') || 'nothing')
}

/**
 * Checks a package's dependencies on Hull's packages, recursively.
 * @param folders packages found so far, by name
 */
function checkDependencies(from: string, folders: Map<string, string>, project: string): void {
  const { dependencies = {} } = readManifest(from)
  for (const name of Object.keys(dependencies).filter((need) => need.startsWith(SCOPE))) {
    const folder = findPackageFolder(name, from)
    if (folder === undefined) throw new PackageMissing(`${relative(project, from)}/package.json`, name, name)
    const first = folders.get(name)
    if (first === folder) continue
    if (first !== undefined) throw new PackageTwice(name, ...describe(first, project), ...describe(folder, project))
    folders.set(name, folder)
    checkDependencies(folder, folders, project)
  }
}

const describe = (folder: string, project: string): [version: string, folder: string] => [
  readManifest(folder).version ?? 'unknown',
  relative(project, folder)
]
