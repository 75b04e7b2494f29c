import { SourceMap, type SourceMapPayload } from 'node:module'
import { MAP_FUNCTIONS } from '@hull/common/source-map-list.ts'
import { MAX_MAPPINGS, MAX_NAME_LENGTH } from './limits.ts'
import { originOf, type Origin } from './origin.ts'
import { SourceText } from './source-lines.ts'

/** Bytes of a segment once it is parsed, by its characters in the mappings. Measured: 18 a character, with what the parser leaves. */
const BYTES_PER_MAPPING = 20

/** A file that code was made of. */
export interface Source extends Origin {
  text?: SourceText
  functions?: Functions
}

/** A place in a source. */
export interface Place {
  source: Source
  /** From 1. */
  line: number
  /** From 1. */
  column: number
  /** What the code has there, by its name in the source. */
  name?: string
}

/** What stands before a promise that is waited for, in code and source alike. */
const AWAIT = 'await '

/** What Node's own reader says of a place in the code; its type leaves the name out. */
interface Segment {
  generatedLine?: number
  generatedColumn?: number
  originalSource?: string
  originalLine?: number
  originalColumn?: number
  name?: string
}

/** A source map, ready to be asked. */
export class ParsedMap {
  /** Bytes it takes, by estimate. */
  readonly cost: number
  readonly #map: SourceMap
  readonly #sources: Map<string, Source>

  /**
   * @param file what it is the map of
   * @throws Error where it is no source map, or one that is too large
   */
  constructor(file: string, body: Uint8Array) {
    const raw: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
    if (!isPayload(raw)) throw new Error('it is no source map')
    this.cost = body.length * 2 + raw.mappings.length * BYTES_PER_MAPPING
    this.#sources = readSources(file, raw)
    const { sources, names, mappings } = raw
    // Only what is needed: the reader keeps a copy of all it is given.
    this.#map = new SourceMap({ version: 3, sources, names, mappings } as SourceMapPayload)
  }

  /**
   * @param line from 1
   * @param column from 1
   */
  find(line: number, column: number): Place | undefined {
    const found = this.#find(line, column)
    return found && (this.#findAwaited(line, column, found) ?? found)
  }

  /**
   * Where a variable is used once, the bundler puts in its place what it was set to: an `await` in it stands, says the
   * map, where the variable was used. What is waited for stands where it was written.
   */
  #findAwaited(line: number, column: number, { source, line: used }: Place): Place | undefined {
    const awaited = this.#find(line, column + AWAIT.length, true)
    if (awaited?.source !== source || awaited.line >= used) return undefined
    const begin = awaited.column - AWAIT.length
    if (begin < 1 || source.text?.slice(awaited.line, begin, AWAIT.length) !== AWAIT) return undefined
    return { source, line: awaited.line, column: begin }
  }

  /** @param exactly whether something has to begin there */
  #find(line: number, column: number, exactly = false): Place | undefined {
    const { generatedLine, generatedColumn, originalSource, originalLine, originalColumn, name }: Segment =
      this.#map.findEntry(line - 1, column - 1)
    // The reader takes the segment before, be it lines away.
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

  /** Files of the project in it. */
  ownSources(): Source[] {
    return [...this.#sources.values()].filter(({ inApp }) => inApp)
  }
}

/** Name of the function that a place is in. */
export const functionAt = ({ source, line, column }: Place): string | undefined =>
  source.functions && nameAt(source.functions, line - 1, column - 1)

interface Payload {
  sources: unknown[]
  sourcesContent?: unknown
  names: unknown[]
  mappings: string
  ignoreList?: unknown
  [MAP_FUNCTIONS]?: unknown
}

/** What Node's reader takes for zeros: other characters, a number that does not end, one of more than 32 bits. */
const MALFORMED = /[^A-Za-z0-9+/,;]|[g-z0-9+/](?:[,;]|$)|[g-z0-9+/]{7}/

/** Maps made of maps, `sections`, are nothing that the build writes. */
function isPayload(value: unknown): value is Payload {
  const { version, sources, names, mappings } = (value ?? {}) as Record<string, unknown>
  if (version !== 3 || typeof mappings !== 'string' || mappings.length > MAX_MAPPINGS) return false
  if (MALFORMED.test(mappings)) return false
  return Array.isArray(sources) && Array.isArray(names)
}

/** By their names in the map. */
function readSources(file: string, raw: Payload): Map<string, Source> {
  const contents: unknown[] = Array.isArray(raw.sourcesContent) ? raw.sourcesContent : []
  const functions: unknown[] = Array.isArray(raw[MAP_FUNCTIONS]) ? raw[MAP_FUNCTIONS] : []
  const ignored = new Set<unknown>(Array.isArray(raw.ignoreList) ? raw.ignoreList : [])
  const sources = new Map<string, Source>()
  raw.sources.forEach((name, at) => {
    if (typeof name !== 'string' || sources.has(name)) return
    const content = contents[at]
    sources.set(name, {
      ...originOf(file, name, ignored.has(at)),
      text: typeof content === 'string' ? new SourceText(content) : undefined,
      functions: readFunctions(functions[at])
    })
  })
  return sources
}

/** The named functions of a source, as the build wrote them. */
export interface Functions {
  names: string[]
  /** Five numbers each, in the order in which they begin: first line, its column, last line, its column, name. From 0. */
  ranges: number[]
}

const WIDTH = 5

/** What a map says of the functions in a source; undefined where that is not what the build writes. */
function readFunctions(value: unknown): Functions | undefined {
  const { names, ranges } = (value ?? {}) as Partial<Record<keyof Functions, unknown>>
  if (!Array.isArray(names) || !Array.isArray(ranges) || ranges.length % WIDTH !== 0) return undefined
  if (!names.every((name) => typeof name === 'string') || !ranges.every((number) => Number.isInteger(number)))
    return undefined
  return { names: names as string[], ranges: ranges as number[] }
}

/**
 * The innermost named function that a place is in; undefined at a module's top level.
 * @param line from 0
 * @param column from 0
 */
export function nameAt({ names, ranges }: Functions, line: number, column: number): string | undefined {
  // The last that begins before is the innermost of those that end behind.
  for (let at = ranges.length - WIDTH; at >= 0; at -= WIDTH) {
    const firstLine = ranges[at]!
    const lastLine = ranges[at + 2]!
    const begins = firstLine < line || (firstLine === line && ranges[at + 1]! <= column)
    const ends = lastLine > line || (lastLine === line && ranges[at + 3]! > column)
    if (begins && ends) return names[ranges[at + 4]!]?.slice(0, MAX_NAME_LENGTH)
  }
  return undefined
}
