import type { SourceLines } from '../store/model.ts'
import { LINES_AROUND, MAX_LINE_LENGTH } from './limits.ts'

/** Characters shown before a frame's column if the line is too long to show in full. */
const BEFORE_COLUMN = 100

/** A text with access by line. Finds the starts of the lines once. */
export class SourceText {
  readonly #text: string
  #starts: number[] | undefined

  constructor(text: string) {
    this.#text = text
  }

  get length(): number {
    return this.#lines().length
  }

  /**
   * Returns a line and the lines around it.
   * @param line first line is 1
   * @param column first column is 1
   * @returns undefined if the line does not exist
   */
  around(line: number, column?: number): SourceLines | undefined {
    if (!Number.isInteger(line) || line < 1 || line > this.length) return undefined
    const before: string[] = []
    const after: string[] = []
    for (let at = Math.max(1, line - LINES_AROUND); at < line; at++) before.push(this.#line(at))
    for (let at = line + 1; at <= Math.min(this.length, line + LINES_AROUND); at++) after.push(this.#line(at))
    return { before, line: this.#line(line, column), after }
  }

  /** Returns a part of a line. @param line first line is 1 @param column first column is 1 */
  slice(line: number, column: number, length: number): string {
    const start = (this.#lines()[line - 1] ?? this.#text.length) + column - 1
    return this.#text.slice(start, start + length)
  }

  #line(line: number, column = 1): string {
    const starts = this.#lines()
    const start = starts[line - 1]!
    const feed = line < starts.length ? starts[line]! - 1 : this.#text.length
    const end = feed > start && this.#text[feed - 1] === '\r' ? feed - 1 : feed
    const from = end - start > MAX_LINE_LENGTH && column > MAX_LINE_LENGTH ? start + column - BEFORE_COLUMN : start
    return this.#text.slice(Math.min(from, end), Math.min(from + MAX_LINE_LENGTH, end))
  }

  /** Offsets at which the lines begin. */
  #lines(): number[] {
    if (this.#starts) return this.#starts
    const starts = [0]
    for (let at = this.#text.indexOf('\n'); at !== -1; at = this.#text.indexOf('\n', at + 1)) starts.push(at + 1)
    return (this.#starts = starts)
  }
}
