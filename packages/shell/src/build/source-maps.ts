import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { MAP_FUNCTIONS, MAP_LIST, type MapEntry } from '@hull/common/source-map-list.ts'
import { findFunctionNames, type NamedFunctions } from './function-names.ts'
import { findPackageFolder, HULL_PACKAGES } from './installed-packages.ts'

interface RawMap {
  sources: string[]
  sourcesContent?: (string | null)[]
  ignoreList?: number[]
  [key: string]: unknown
}

/**
 * Gathers the source maps of both halves of a build in `maps/`, out of the public folder, tells them the names of the
 * functions in the project's own sources, and lists them. The server's stay beside its code as well, where Node looks.
 * @param dist the folder with `client/` and `server/` in it
 * @returns the list, as it was written
 */
export function collectSourceMaps(dist: string): MapEntry[] {
  const folder = join(dist, 'maps')
  rmSync(folder, { recursive: true, force: true })
  for (const side of ['client', 'server']) {
    for (const path of globSync('**/*.map', { cwd: join(dist, side) })) {
      const to = join(folder, side, path)
      mkdirSync(dirname(to), { recursive: true })
      if (side === 'client') renameSync(join(dist, side, path), to)
      else cpSync(join(dist, side, path), to)
    }
  }
  const named = new Map<string, unknown>()
  const list = globSync('**/*.js.map', { cwd: folder })
    .toSorted()
    .map((path): MapEntry => {
      const map = JSON.parse(readFileSync(join(folder, path), 'utf8')) as RawMap
      map.sources = nameHullSources(map.sources, join(dist, dirname(path)))
      map[MAP_FUNCTIONS] = map.sources.map((source, at) => nameFunctions(map, source, at, named))
      const body = Buffer.from(JSON.stringify(map))
      writeFileSync(join(folder, path), body)
      return { file: path.replaceAll('\\', '/').slice(0, -'.map'.length), debugId: toDebugId(body), size: body.length }
    })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MAP_LIST), JSON.stringify(list) + '\n')
  return list
}

/**
 * Names the sources of Hull's packages by `node_modules/@hull/…`, also where they are workspaces: by that the inbox knows
 * them from the team's own packages.
 * @param from the folder of the code, from which a map names its sources
 */
function nameHullSources(sources: readonly string[], from: string): string[] {
  const packages = HULL_PACKAGES.flatMap((name) => {
    const folder = findPackageFolder(name, import.meta.dirname)
    return folder === undefined ? [] : [{ name, folder: folder + sep }]
  })
  return sources.map((source) => {
    const file = resolve(from, source)
    const own = packages.find(({ folder }) => file.startsWith(folder))
    if (!own || source.startsWith('\0')) return source
    const named = join(from, 'node_modules', own.name, file.slice(own.folder.length))
    return relative(from, named).replaceAll(sep, '/')
  })
}

/** Of the project's own sources; those of packages are many, and nobody looks for their functions. */
function nameFunctions(map: RawMap, source: string, at: number, named: Map<string, unknown>): unknown {
  const code = map.sourcesContent?.[at]
  if (!code || map.ignoreList?.includes(at) || !/\.[cm]?[jt]sx?$/.test(source)) return null
  if (!named.has(code)) named.set(code, findOrNone(source, code))
  return named.get(code)
}

/** Names are a convenience: code that is too deep for us is no reason to fail a build. */
function findOrNone(source: string, code: string): NamedFunctions | null {
  try {
    return findFunctionNames(source, code)
  } catch {
    return null
  }
}

/**
 * By what is in the map. The bundler's own ids, like the hashes in file names, are of the code: a comment moves lines in
 * the source and changes none of it.
 */
function toDebugId(map: Uint8Array): string {
  const hash = createHash('sha256').update(map).digest('hex')
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-')
}
