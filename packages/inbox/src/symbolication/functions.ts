import { MAX_NAME_LENGTH } from './limits.ts'

/** The named functions of a source, as the build wrote them. */
export interface Functions {
  names: string[]
  /** Five numbers each, in the order in which they begin: first line, its column, last line, its column, name. From 0. */
  ranges: number[]
}

const WIDTH = 5

/** What a map says of the functions in a source; undefined where that is not what the build writes. */
export function readFunctions(value: unknown): Functions | undefined {
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
