import { MonitoringMalformed, MonitoringTooLarge } from '../errors.ts'
import { HeaderLine } from './header-line.ts'
import { parseEnvelopeHeader, type EnvelopeHeader } from './headers.ts'
import { ItemScanner } from './items.ts'
import { MAX_ENVELOPE_BYTES } from './limits.ts'

/**
 * Checks an envelope while it passes, in whatever pieces it comes: the header line is taken out, and everything after it
 * is looked at and given back as it is. Holds one header line at most, however long the envelope.
 */
export class EnvelopeParser {
  readonly #onHeader: (header: EnvelopeHeader) => void
  readonly #line = new HeaderLine()
  readonly #items = new ItemScanner()
  #hasHeader = false
  #size = 0

  /** @param onHeader called once, before any item is looked at; what it throws comes out of {@link push} or {@link end} */
  constructor(onHeader: (header: EnvelopeHeader) => void) {
    this.#onHeader = onHeader
  }

  /** Items so far by data category. */
  get counts(): Record<string, number> {
    return this.#items.counts
  }

  /**
   * Takes the next piece.
   * @returns what of it comes after the header line, the very bytes
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
   * The envelope ends here.
   * @throws MonitoringMalformed when something is missing
   */
  end(): void {
    if (this.#size === 0) throw new MonitoringMalformed('it is empty')
    if (!this.#hasHeader) this.#open(this.#line.flush())
    this.#items.end()
  }

  #open(line: Buffer) {
    this.#hasHeader = true
    this.#onHeader(parseEnvelopeHeader(line))
  }
}
