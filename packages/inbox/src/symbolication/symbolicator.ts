import { OWN_PROJECT, type EventDetail, type Frame } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { MapCache, MapFinder, toCodePath, type FoundMap } from './map-finder.ts'
import { MAX_FILES, MAX_FRAMES } from './limits.ts'
import { originOfFile } from './origin.ts'
import { functionAt, type ParsedMap, type Place } from './parsed-map.ts'
import { ProjectFiles } from './project-files.ts'

export interface SymbolicatorOptions {
  /** The project's folder. Frames of the server's own files get source lines from it. @default no files are read */
  root?: string
  /** Release that runs from that folder. Events of other releases get no source lines. @default all events get them */
  release?: string
  /** Milliseconds since the epoch. @default Date.now */
  now?: () => number
}

/** Number of frames in the team's own built code. */
export interface OwnFrames {
  /** All such frames. */
  own: number
  /** Frames without a map, or with a map that lacks the position. */
  unresolved: number
}

export interface Symbolicator {
  /**
   * Replaces positions in the frames of an event by positions in the sources, in place. Frames without a map keep
   * theirs. Never throws because of the content of a frame or a map.
   * @param debugIds ids of maps by file name, if the event has them
   * @param project the event's project. @default the application's own
   * @param found maps that were found for other events. Valid while no map is added or removed. @default none
   * @throws errors of the store only
   */
  resolve: (
    detail: EventDetail,
    debugIds: ReadonlyMap<string, string>,
    project?: number,
    found?: Map<string, FoundMap | undefined>
  ) => OwnFrames
}

/** Creates a symbolicator on the maps in the store. @see docs/decisions/023-maps-by-release-and-name.md */
export function createSymbolicator(store: Store, options: SymbolicatorOptions = {}): Symbolicator {
  const { root, release, now = Date.now } = options
  const cache = new MapCache(store)
  const finder = new MapFinder(store)
  const files = root === undefined ? undefined : new ProjectFiles(root)
  return { resolve }

  function resolve(
    detail: EventDetail,
    debugIds: ReadonlyMap<string, string>,
    project: number = OWN_PROJECT,
    found = new Map<string, FoundMap | undefined>()
  ): OwnFrames {
    const count: OwnFrames = { own: 0, unresolved: 0 }
    // The sources of the application are shown to people of its own project only.
    const isOwn = project === OWN_PROJECT
    /** Maps by file name. Most frames of an event are in two or three files. */
    const maps = new Map<string, ParsedMap | undefined>()
    for (const { frames } of [...detail.exceptions, ...(detail.threads ?? [])]) {
      const places = frames.slice(0, MAX_FRAMES).map((frame) => findPlace(frame))
      places.forEach((place, at) => {
        const frame = frames[at]!
        if (place) rewrite(frame, place, places[at + 1])
        else if (detail.side === 'server') {
          if (frame.file.startsWith('node:')) frame.inApp = false
          if (isOwn) placeOnDisk(frame)
        }
        tally(frame, place)
      })
    }
    for (const frame of detail.components?.slice(0, MAX_FRAMES) ?? []) {
      const place = findPlace(frame)
      if (place) rewrite(frame, place)
    }
    return count

    function findPlace({ file, line, column = 1, built }: Frame): Place | undefined {
      if (built || !isPosition(line) || !isPosition(column)) return undefined
      if (!maps.has(file) && maps.size < MAX_FILES) {
        const map = findMap(file)
        maps.set(file, map && cache.get(map.debugId, map.file))
      }
      return maps.get(file)?.find(line, column)
    }

    function findMap(file: string): FoundMap | undefined {
      const key = [project, detail.side, detail.release, debugIds.get(file), file].join('\0')
      if (!found.has(key)) found.set(key, searchMap(file))
      return found.get(key)
    }

    function searchMap(file: string): FoundMap | undefined {
      const debugId = debugIds.get(file)
      if (debugId !== undefined) {
        const map =
          (isOwn ? finder.byDebugId(debugId, now()) : undefined) ?? finder.inUploadsByDebugId(project, debugId, now())
        if (map) return map
      }
      const code = toCodePath(file, detail.side)
      if (code === undefined) return undefined
      const { release: version } = detail
      const uploaded = version === undefined ? undefined : finder.inUploads(project, code.path, version, now())
      if (uploaded || !isOwn) return uploaded
      return finder.byName(code.path, code.half, version, now())
    }

    /** Resolves a frame of the server that has no map: the server runs such files without a build. */
    function placeOnDisk(frame: Frame) {
      const path = toCodePath(frame.file, detail.side)?.path
      const place = path === undefined ? undefined : files?.locate(path)
      if (path === undefined || place === undefined || place.startsWith('dist/')) return
      const { file, inApp, package: name } = originOfFile(place, { at: path })
      Object.assign(frame, { file, inApp }, name !== undefined && { package: name })
      const isRunning = release === undefined || detail.release === release
      if (isRunning && frame.source === undefined && isPosition(frame.line)) {
        const source = files!.read(path)?.around(frame.line, frame.column)
        if (source) frame.source = source
      }
    }

    function tally({ file, inApp }: Frame, place: Place | undefined) {
      if (!inApp || (!place && !isBuilt(file, detail))) return
      count.own++
      if (!place) count.unresolved++
    }
  }
}

/** Excludes values that Node's reader cannot handle. */
const isPosition = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value > 0 && value < 2 ** 31

/** Replaces a frame's position. @param caller position where the function was called */
function rewrite(frame: Frame, place: Place, caller?: Place) {
  const { source, line, column } = place
  const { file, line: builtLine, column: builtColumn, function: builtFunction } = frame
  frame.built = {
    file,
    ...(builtLine !== undefined && { line: builtLine }),
    ...(builtColumn !== undefined && { column: builtColumn }),
    ...(builtFunction !== undefined && { function: builtFunction })
  }
  Object.assign(frame, { file: source.file, line, column, inApp: source.inApp })
  set(frame, 'function', nameOf(place, caller, builtFunction))
  set(frame, 'package', source.package)
  set(frame, 'source', source.text?.around(line, column))
}

/**
 * Returns the function's name in the source. If the build recorded none, uses the name at the call, provided that both
 * are in the same package: React calls every component `Component`. Ignores minified names.
 */
function nameOf(place: Place, caller: Place | undefined, built: string | undefined): string | undefined {
  const name = functionAt(place)
  if (name !== undefined) return name
  if (caller?.name !== undefined && caller.source.package === place.source.package) return caller.name
  if (place.source.functions || built === undefined) return undefined
  // Bundlers append a number to duplicate names.
  const long = built.replace(/\$\d+$/, '')
  return /[\w$]{4,}$/.test(long) ? long : undefined
}

function set<Key extends 'function' | 'package' | 'source'>(frame: Frame, key: Key, value: Frame[Key]) {
  if (value === undefined) delete frame[key]
  else frame[key] = value
}

/** Bundled code: scripts, and the bundles of React Native (`app:///index.android.bundle`, `app:///main.jsbundle`). */
const BUNDLED = /\.(?:[cm]?js|(?:js)?bundle)$/

/** Whether a file without a map should have one: a script from the application's own origin, or the server's bundle. */
function isBuilt(file: string, { side, url }: EventDetail): boolean {
  const code = toCodePath(file, side)
  if (!code || !BUNDLED.test(code.path) || code.path.includes('/node_modules/')) return false
  if (code.half === 'server') return /(?:^|\/)dist\/server\//.test(code.path)
  return code.origin === undefined || url === undefined || url.startsWith(`${code.origin}/`)
}
