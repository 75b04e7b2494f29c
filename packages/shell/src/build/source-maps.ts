import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { attempt } from '@hull/common/attempt.ts'
import { MAP_FUNCTIONS, MAP_LIST, type MapEntry } from '@hull/common/source-map-list.ts'
import { findFunctionNames } from './function-names.ts'
import { createHullFinder } from './packages/installed-packages.ts'

interface RawMap {
  sources: string[]
  sourcesContent?: (string | null)[]
  ignoreList?: number[]
  [key: string]: unknown
}

/**
 * Collects the source maps of both halves of a build in `maps/`, outside of the public folder, adds the names of the
 * functions in the project's own sources, and lists the maps. Beside each map is a compressed copy, which the inbox
 * stores as it is. The server's maps also stay beside its code, where Node reads them.
 * @param dist folder with `client/` and `server/`
 * @returns the written list
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
    .flatMap((path): MapEntry[] => {
      const map = readMap(join(folder, path))
      if (!map) return []
      map.sources = nameHullSources(map.sources, join(dist, dirname(path)))
      map[MAP_FUNCTIONS] = map.sources.map((source, at) => nameFunctions(map, source, at, named))
      const body = Buffer.from(JSON.stringify(map))
      const compressed = zstdCompressSync(body, { pledgedSrcSize: body.length })
      writeFileSync(join(folder, path), body)
      writeFileSync(join(folder, `${path}.zst`), compressed)
      const file = path.replaceAll('\\', '/').slice(0, -'.map'.length)
      return [{ file, debugId: toDebugId(body), size: body.length, hash: hashOf(compressed) }]
    })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MAP_LIST), JSON.stringify(list) + '\n')
  return list
}

/** Returns undefined for a file of `client/public/` that is no map of one source file, such as an index map. */
function readMap(file: string): RawMap | undefined {
  const map = attempt(() => JSON.parse(readFileSync(file, 'utf8')) as Partial<RawMap> | null)
  return Array.isArray(map?.sources) ? (map as RawMap) : undefined
}

/**
 * Renames the sources of Hull's packages to `node_modules/@hull/…`, even if the packages are workspaces, so that the
 * inbox can distinguish them from the application's own packages.
 * @param from folder of the code; the map's paths are relative to it
 */
function nameHullSources(sources: readonly string[], from: string): string[] {
  const findHull = createHullFinder(import.meta.dirname)
  return sources.map((source) => {
    const file = resolve(from, source)
    const own = findHull(file)
    if (!own || source.startsWith('\0')) return source
    const named = join(from, 'node_modules', own.name, file.slice(own.folder.length))
    return relative(from, named).replaceAll(sep, '/')
  })
}

/** Returns the functions of the project's own sources. Packages have too many functions that are never looked up. */
function nameFunctions(map: RawMap, source: string, at: number, named: Map<string, unknown>): unknown {
  const code = map.sourcesContent?.[at]
  if (!code || map.ignoreList?.includes(at) || !/\.[cm]?[jt]sx?$/.test(source)) return null
  // Function names are optional, so code that is nested too deep must not fail the build.
  if (!named.has(code)) named.set(code, attempt(() => findFunctionNames(source, code)) ?? null)
  return named.get(code)
}

/**
 * Returns an id from the content of the map. The bundler's own ids, like the hashes in file names, depend on the code
 * only, but a comment moves lines in the source without changing the code.
 */
function toDebugId(map: Uint8Array): string {
  const hash = hashOf(map)
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20, 32)].join('-')
}

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')
