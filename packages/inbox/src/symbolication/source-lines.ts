import type { SourceLines } from '../store/model.ts'
import { LINES_AROUND, MAX_LINE_LENGTH } from './limits.ts'

/** Characters shown before the column that a frame is at, in a line that is too long to be shown. */
const BEFORE_COLUMN = 100

/** A text that is asked for its lines: where they begin is found once. */
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
   * A line and those around it.
   * @param line from 1
   * @param column from 1
   * @returns undefined where there is no such line
   */
  around(line: number, column?: number): SourceLines | undefined {
    if (!Number.isInteger(line) || line < 1 || line > this.length) return undefined
    const before: string[] = []
    const after: string[] = []
    for (let at = Math.max(1, line - LINES_AROUND); at < line; at++) before.push(this.#line(at))
    for (let at = line + 1; at <= Math.min(this.length, line + LINES_AROUND); at++) after.push(this.#line(at))
    return { before, line: this.#line(line, column), after }
  }

  /** A part of a line. @param line from 1 @param column from 1 */
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

  /** Where each begins. */
  #lines(): number[] {
    if (this.#starts) return this.#starts
    const starts = [0]
    for (let at = this.#text.indexOf('\n'); at !== -1; at = this.#text.indexOf('\n', at + 1)) starts.push(at + 1)
    return (this.#starts = starts)
  }
}
