import { createReadStream } from 'node:fs'

/** A line of a file. */
export interface FileLine {
  /** Undefined for a line of more than {@link MAX_LINE} bytes. */
  text: string | undefined
  /** From 1. */
  number: number
  /** Position after the line. */
  end: number
  /** Whether it ends with a line break. The last line of a file that was cut does not. */
  isWhole: boolean
}

/** Maximum bytes of a line, three times the largest attachment in base64: a guess. */
const MAX_LINE = 128 * 1024 * 1024

/** Yields the lines of a file from a position on, with their positions. */
export async function* readLines(file: string, position: number, lines: number): AsyncGenerator<FileLine> {
  let [number, end, size] = [lines, position, 0]
  let parts: Buffer[] = []
  const take = (isWhole: boolean): FileLine => {
    number += 1
    end += size
    const text = size > MAX_LINE ? undefined : Buffer.concat(parts).toString()
    parts = []
    size = 0
    return { text, number, end, isWhole }
  }
  const add = (part: Buffer) => {
    size += part.length
    if (size <= MAX_LINE) parts.push(part)
    else parts = []
  }
  for await (const chunk of createReadStream(file, { start: position }) as AsyncIterable<Buffer>) {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at + 1))
      from = at + 1
      yield take(true)
    }
    add(chunk.subarray(from))
  }
  if (size > 0) yield take(false)
}
