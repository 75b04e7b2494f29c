import { SourceMap, type SourceMapPayload } from 'node:module'
import { MAP_FUNCTIONS } from '@hull/common/source-map-list.ts'
import { MAX_MAPPINGS, MAX_NAME_LENGTH } from './limits.ts'
import { originOfSource, type Origin } from './origin.ts'
import { SourceText } from './source-lines.ts'

/** Bytes of a parsed segment per character of the mappings. Measured: 18, including the parser's garbage. */
const BYTES_PER_MAPPING = 20

/** An original file. */
export interface Source extends Origin {
  text?: SourceText
  functions?: Functions
}

/** A position in a source. */
export interface Place {
  source: Source
  /** First line is 1. */
  line: number
  /** First column is 1. */
  column: number
  /** Original name of the identifier at this position. */
  name?: string
}

/** Precedes an awaited promise, in code and source alike. */
const AWAIT = 'await '

/** The entry that Node's `SourceMap` returns; its type omits `name`. */
interface Segment {
  generatedLine?: number
  generatedColumn?: number
  originalSource?: string
  originalLine?: number
  originalColumn?: number
  name?: string
}

/** A parsed source map. */
export class ParsedMap {
  /** Estimated bytes in memory. */
  readonly cost: number
  readonly #map: SourceMap
  readonly #sources: Map<string, Source>

  /**
   * @param file the built file; undefined for an uploaded map
   * @throws Error if the body is not a source map, or is too large
   */
  constructor(file: string | undefined, body: Uint8Array) {
    const sections = readSections(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()))
    const mappings = sections.reduce((sum, { map }) => sum + map.mappings.length, 0)
    if (mappings > MAX_MAPPINGS) throw new Error('it has too many mappings')
    this.cost = body.length * 2 + mappings * BYTES_PER_MAPPING
    this.#sources = new Map()
    for (const { map } of sections) addSources(this.#sources, file, map)
    this.#map = new SourceMap({ version: 3, sections: sections.map(toReadable) } as unknown as SourceMapPayload)
  }

  /**
   * Finds the original position.
   * @param line first line is 1
   * @param column first column is 1
   */
  find(line: number, column: number): Place | undefined {
    const found = this.#find(line, column)
    return found && (this.#findAwaited(line, column, found) ?? found)
  }

  /**
   * If a variable is used only once, the bundler inlines its value. The map then places an inlined `await` where the
   * variable was used, but the awaited expression where it was written. Returns the position of that expression.
   */
  #findAwaited(line: number, column: number, { source, line: used }: Place): Place | undefined {
    const awaited = this.#find(line, column + AWAIT.length, true)
    if (awaited?.source !== source || awaited.line >= used) return undefined
    const begin = awaited.column - AWAIT.length
    if (begin < 1 || source.text?.slice(awaited.line, begin, AWAIT.length) !== AWAIT) return undefined
    return { source, line: awaited.line, column: begin }
  }

  /** @param exactly whether a segment must begin at this position */
  #find(line: number, column: number, exactly = false): Place | undefined {
    const { generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name }: Segment =
      this.#map.findEntry(line - 1, column - 1)
    // The reader returns the previous segment, even if it is lines away.
    if (generatedLine !== line - 1 || originalLine === undefined || originalColumn === undefined) return undefined
    if (exactly && generatedColumn !== column - 1) return undefined
    const source = originalSource === undefined ? undefined : this.#sources.get(originalSource)
    if (source === undefined || !(originalLine >= 0) || !(originalColumn >= 0)) return undefined
    if (source.text && originalLine >= source.text.length) return undefined
    return {
      source,
      line: originalLine + 1,
      column: originalColumn + 1,
      ...(typeof name === 'string' && name !== '' && { name: name.slice(0, MAX_NAME_LENGTH) })
    }
  }
}

/** Returns the name of the function that contains a position. */
export const functionAt = ({ source, line, column }: Place): string | undefined =>
  source.functions && nameAt(source.functions, line - 1, column - 1)

interface Payload {
  sources: unknown[]
  sourcesContent?: unknown
  names: unknown[]
  mappings: string
  ignoreList?: unknown
  /** The former name of `ignoreList`, which bundlers such as Rollup still write (ECMA-426, 9.1). */
  x_google_ignoreList?: unknown
  [MAP_FUNCTIONS]?: unknown
}

/**
 * Mappings that Node's reader would silently treat as zeros: invalid characters, unfinished numbers, and numbers of
 * more than 32 bits.
 */
const MALFORMED = /[^A-Za-z0-9+/,;]|[g-z0-9+/](?:[,;]|$)|[g-z0-9+/]{7}/

interface Section {
  /** Where its code begins in the file; first line and column are 0. */
  offset: { line: number; column: number }
  map: Payload
}

/**
 * Returns the sections of an index map, as Turbopack writes it, or the map as the only section.
 * @throws Error if it is no source map
 */
function readSections(value: unknown): Section[] {
  const { version, sections } = (value ?? {}) as Record<string, unknown>
  const all: unknown[] =
    version === 3 && Array.isArray(sections) ? sections : [{ offset: { line: 0, column: 0 }, map: value }]
  if (!all.every(isSection)) throw new Error('it is no source map')
  return all
}

function isSection(value: unknown): value is Section {
  const { offset, map } = (value ?? {}) as Record<string, unknown>
  const { line, column } = (offset ?? {}) as Record<string, unknown>
  return [line, column].every((number) => Number.isSafeInteger(number) && Number(number) >= 0) && isPayload(map)
}

function isPayload(value: unknown): value is Payload {
  const { version, sources, names, mappings } = (value ?? {}) as Record<string, unknown>
  if (version !== 3 || typeof mappings !== 'string' || MALFORMED.test(mappings)) return false
  return Array.isArray(sources) && Array.isArray(names)
}

/** Only the necessary fields: Node's reader copies everything that it receives. */
const toReadable = ({ offset, map: { sources, names, mappings } }: Section) => ({
  offset,
  map: { version: 3, sources, names, mappings }
})

/** Adds the sources of a map by their names in it. */
function addSources(all: Map<string, Source>, file: string | undefined, map: Payload): void {
  const contents: unknown[] = Array.isArray(map.sourcesContent) ? map.sourcesContent : []
  const functions: unknown[] = Array.isArray(map[MAP_FUNCTIONS]) ? map[MAP_FUNCTIONS] : []
  const list = map.ignoreList ?? map.x_google_ignoreList
  const ignored = new Set<unknown>(Array.isArray(list) ? list : [])
  map.sources.forEach((name, at) => {
    if (typeof name !== 'string' || all.has(name)) return
    const content = contents[at]
    all.set(name, {
      ...originOfSource(file, name, ignored.has(at)),
      text: typeof content === 'string' ? new SourceText(content) : undefined,
      functions: readFunctions(functions[at])
    })
  })
}

/** The named functions of a source, written by the build. */
export interface Functions {
  names: string[]
  /**
   * Five numbers, counted from 0, per function, ordered by start: first line, first column, last line, last column,
   * index of the name.
   */
  ranges: number[]
}

const WIDTH = 5

/** Reads the functions of a source from a map; undefined if the map has none in the build's format. */
function readFunctions(value: unknown): Functions | undefined {
  const { names, ranges } = (value ?? {}) as Partial<Record<keyof Functions, unknown>>
  if (!Array.isArray(names) || !Array.isArray(ranges) || ranges.length % WIDTH !== 0) return undefined
  if (!names.every((name) => typeof name === 'string') || !ranges.every((number) => Number.isInteger(number)))
    return undefined
  return { names: names as string[], ranges: ranges as number[] }
}

/**
 * Returns the innermost named function that contains a position; undefined at a module's top level.
 * @param line first line is 0
 * @param column first column is 0
 */
export function nameAt({ names, ranges }: Functions, line: number, column: number): string | undefined {
  // The last function that begins before the position and ends after it is the innermost.
  for (let at = ranges.length - WIDTH; at >= 0; at -= WIDTH) {
    const firstLine = ranges[at]!
    const lastLine = ranges[at + 2]!
    const begins = firstLine < line || (firstLine === line && ranges[at + 1]! <= column)
    const ends = lastLine > line || (lastLine === line && ranges[at + 3]! > column)
    if (begins && ends) return names[ranges[at + 4]!]?.slice(0, MAX_NAME_LENGTH)
  }
  return undefined
}
