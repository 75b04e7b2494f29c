import { MonitoringMalformed } from '../errors.ts'
import { MAX_HEADER_BYTES } from './limits.ts'

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** Bytes that are held at first when a line comes in pieces; most lines fit. */
const FIRST_SIZE = 512

/** Gathers one line that may come in any pieces, up to MAX_HEADER_BYTES of it. */
export class HeaderLine {
  #held = NOTHING
  #length = 0
  #next = 0

  /** Where the bytes last given go on after the line's newline. */
  get next(): number {
    return this.#next
  }

  /** Whether a line has begun. */
  get hasBegun(): boolean {
    return this.#length > 0
  }

  /**
   * Reads on in `bytes` from `from`.
   * @returns the line without its newline once it is whole, good until the next call
   * @throws MonitoringMalformed when it is too long
   */
  read(bytes: Buffer, from: number): Buffer | undefined {
    const newline = bytes.indexOf(NEWLINE, from)
    const end = newline === -1 ? bytes.length : newline
    if (this.#length + end - from > MAX_HEADER_BYTES)
      throw new MonitoringMalformed(`a header is longer than ${MAX_HEADER_BYTES} bytes`)
    this.#next = end + 1
    if (newline !== -1 && this.#length === 0) return bytes.subarray(from, end)
    this.#hold(bytes, from, end)
    return newline === -1 ? undefined : this.flush()
  }

  /** What there is of a line, to begin another; the end of an envelope may stand for the newline. */
  flush(): Buffer {
    const line = this.#held.subarray(0, this.#length)
    this.#length = 0
    return line
  }

  /** Copies: a piece may be one byte of a buffer that is much larger. */
  #hold(bytes: Buffer, from: number, end: number) {
    const length = this.#length + end - from
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_SIZE, 2 * length))
      this.#held.copy(larger, 0, 0, this.#length)
      this.#held = larger
    }
    bytes.copy(this.#held, this.#length, from, end)
    this.#length = length
  }
}
