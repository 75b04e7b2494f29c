import { categoryOf, isEvent, isSession } from './categories.ts'
import { HeaderLine, parseEnvelopeHeader, parseItemHeader, type EnvelopeHeader } from './headers.ts'
import { MAX_ENVELOPE_BYTES, MAX_EVENT_BYTES, MAX_ITEM_COUNT, MAX_ITEMS, MAX_SESSIONS } from './limits.ts'
import { MonitoringMalformed, MonitoringTooLarge } from '../errors.ts'

const NEWLINE = 0x0a
const TOO_LONG = `an event is longer than ${MAX_EVENT_BYTES} bytes, or another item than ${MAX_ENVELOPE_BYTES}`

/**
 * Checks an envelope that arrives in pieces. Removes the header line, and returns everything after it unchanged. Keeps
 * at most one header line in memory, however long the envelope is.
 */
export class EnvelopeParser {
  readonly #onHeader: (header: EnvelopeHeader) => void
  readonly #line = new HeaderLine()
  readonly #items = new ItemScanner()
  #hasHeader = false
  #size = 0

  /** @param onHeader called once, before any item is read. {@link push} and {@link end} rethrow its errors */
  constructor(onHeader: (header: EnvelopeHeader) => void) {
    this.#onHeader = onHeader
  }

  /** Number of items so far, by data category. */
  get counts(): Record<string, number> {
    return this.#items.counts
  }

  /**
   * Reads the next piece.
   * @returns the bytes of the piece after the header line, not copied
   * @throws MonitoringMalformed
   * @throws MonitoringTooLarge
   */
  push(piece: Buffer): Buffer | undefined {
    this.#size += piece.length
    if (this.#size > MAX_ENVELOPE_BYTES) throw new MonitoringTooLarge(`it has more than ${MAX_ENVELOPE_BYTES} bytes`)
    let rest = piece
    if (!this.#hasHeader) {
      const line = this.#line.read(piece, 0)
      if (!line) return undefined
      this.#open(line)
      rest = piece.subarray(this.#line.next)
    }
    if (rest.length === 0) return undefined
    this.#items.scan(rest)
    return rest
  }

  /**
   * Call at the end of the envelope.
   * @throws MonitoringMalformed if the envelope is incomplete
   */
  end(): void {
    if (this.#size === 0) throw new MonitoringMalformed('the body is empty')
    if (!this.#hasHeader) this.#open(this.#line.flush())
    this.#items.end()
  }

  #open(line: Buffer) {
    this.#hasHeader = true
    this.#onHeader(parseEnvelopeHeader(line))
  }
}

/**
 * Scans the items of an envelope that arrives in pieces, and keeps only their number:
 * 1. An item is a header line of JSON with a `type`, and a payload.
 * 2. With `length`, the payload has exactly that many bytes, followed by a newline or the end.
 * 3. Without, it ends at the next newline or the end.
 * 4. It may be empty, and may then be missing at the end of the envelope.
 * 5. Blank lines before a header are skipped, as in Relay.
 * 6. Unknown types are items like any other.
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export class ItemScanner {
  /** Number of items so far, by data category. An item with several entries counts as that many. */
  readonly counts: Record<string, number> = {}
  readonly #line = new HeaderLine()
  #part: 'header' | 'counted' | 'line' | 'newline' = 'header'
  /** Remaining bytes of the payload; if a newline ends the payload, the remaining maximum. */
  #left = 0
  #items = 0
  #sessions = 0

  /**
   * @throws MonitoringMalformed
   * @throws MonitoringTooLarge
   */
  scan(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#part === 'header') at = this.#readHeader(bytes, at)
      else if (this.#part === 'counted') at = this.#skipCounted(bytes, at)
      else if (this.#part === 'line') at = this.#skipLine(bytes, at)
      else {
        // point 2
        if (bytes[at] !== NEWLINE) throw new MonitoringMalformed('an item is longer than its length')
        at++
        this.#part = 'header'
      }
    }
  }

  /**
   * Call at the end of the envelope.
   * @throws MonitoringMalformed if an item is incomplete
   */
  end(): void {
    if (this.#part === 'header' && this.#line.hasBegun) this.#open(this.#line.flush()) // point 4
    if (this.#part === 'counted') throw new MonitoringMalformed('an item is shorter than its length')
  }

  #readHeader(bytes: Buffer, from: number): number {
    let at = from
    if (!this.#line.hasBegun) while (bytes[at] === NEWLINE) at++ // point 5
    if (at === bytes.length) return at
    const line = this.#line.read(bytes, at)
    if (line) this.#open(line)
    return this.#line.next
  }

  #open(line: Buffer): void {
    const { type, length, itemCount = 1 } = parseItemHeader(line)
    if (++this.#items > MAX_ITEMS) throw new MonitoringTooLarge(`more than ${MAX_ITEMS} items`)
    if (isSession(type) && ++this.#sessions > MAX_SESSIONS)
      throw new MonitoringTooLarge(`more than ${MAX_SESSIONS} sessions`)
    const category = categoryOf(type)
    this.counts[category] = (this.counts[category] ?? 0) + Math.min(Math.max(itemCount, 1), MAX_ITEM_COUNT)

    const limit = isEvent(type) ? MAX_EVENT_BYTES : MAX_ENVELOPE_BYTES
    if (length !== undefined && length > limit) throw new MonitoringTooLarge(TOO_LONG)
    this.#left = length ?? limit
    this.#part = length === undefined ? 'line' : length === 0 ? 'newline' : 'counted'
  }

  #skipCounted(bytes: Buffer, from: number): number {
    const skipped = Math.min(this.#left, bytes.length - from)
    this.#left -= skipped
    if (this.#left === 0) this.#part = 'newline'
    return from + skipped
  }

  #skipLine(bytes: Buffer, from: number): number {
    const newline = bytes.indexOf(NEWLINE, from)
    const end = newline === -1 ? bytes.length : newline
    const length = end - from
    if (length > this.#left) throw new MonitoringTooLarge(TOO_LONG)
    this.#left -= length
    if (newline === -1) return end
    this.#part = 'header'
    return end + 1
  }
}
