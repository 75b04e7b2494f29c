import { isUtf8 } from 'node:buffer'
import { attempt } from '@hull/common/attempt.ts'
import { MAX_HEADER_BYTES, MAX_HEADER_DEPTH } from './limits.ts'
import { MonitoringMalformed } from '../errors.ts'

/** Parts of an envelope's header that are kept. */
export interface EnvelopeHeader {
  /**
   * `event_id`, `dsn`, `sdk` and `trace`, if they exist. All others are dropped, because a provider would act on them.
   */
  fields: { event_id?: string; dsn?: string; sdk?: object; trace?: object }
  /** Time at which the client sent the envelope according to its clock, in milliseconds since the epoch. */
  sentAt?: number
}

/** Parts of an item's header that are read. The header is passed on unchanged. */
export interface ItemHeader {
  type: string
  /** Bytes of the payload; undefined if a newline ends it. */
  length?: number
  /** Number of spans, logs or metrics in the item, according to the client. */
  itemCount?: number
}

/** A UUID, with or without dashes. */
const EVENT_ID = /^[\da-f]{8}(-?)[\da-f]{4}\1[\da-f]{4}\1[\da-f]{4}\1[\da-f]{12}$/i

/**
 * Parses an envelope's header line.
 * @throws MonitoringMalformed, whose message never repeats the header
 */
export function parseEnvelopeHeader(line: Buffer): EnvelopeHeader {
  const { event_id, dsn, sdk, trace, sent_at } = parseObject(line, 'the envelope header')
  const fields: EnvelopeHeader['fields'] = {}
  if (event_id != null) {
    if (typeof event_id !== 'string' || !EVENT_ID.test(event_id))
      throw new MonitoringMalformed('event_id is not a UUID')
    fields.event_id = event_id
  }
  if (dsn != null) {
    if (typeof dsn !== 'string') throw new MonitoringMalformed('dsn is not a string')
    fields.dsn = dsn
  }
  if (isObject(sdk)) fields.sdk = shallow(sdk)
  if (isObject(trace)) fields.trace = shallow(trace)
  const sentAt = typeof sent_at === 'string' ? Date.parse(sent_at) : NaN
  return Number.isNaN(sentAt) ? { fields } : { fields, sentAt }
}

/**
 * Parses an item's header line.
 * @throws MonitoringMalformed, whose message never repeats the header
 */
export function parseItemHeader(line: Buffer): ItemHeader {
  const { type, length, item_count: itemCount } = parseObject(line, 'an item header')
  if (typeof type !== 'string' || type === '') throw new MonitoringMalformed('an item has no type')
  const header: ItemHeader = { type }
  if (length != null) {
    if (!isCount(length)) throw new MonitoringMalformed('the length of an item is not a whole number of bytes')
    header.length = length
  }
  if (isCount(itemCount)) header.itemCount = itemCount
  return header
}

/** Hides the message of JSON.parse, which quotes the text. */
function parseObject(line: Buffer, what: string): Record<string, unknown> {
  const value: unknown = attempt(() => (isUtf8(line) ? JSON.parse(line.toString()) : undefined))
  if (!isObject(value)) throw new MonitoringMalformed(`${what} is not a JSON object`)
  return value as Record<string, unknown>
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Refuses an object that is nested so deeply that writing it would overflow the stack. */
function shallow<T extends object>(value: T): T {
  if (isDeeper(value, MAX_HEADER_DEPTH)) throw new MonitoringMalformed('the envelope header is nested too deeply')
  return value
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}

const NEWLINE = 0x0a
const NOTHING = Buffer.alloc(0)

/** Initial bytes of the buffer for a line that arrives in pieces. Most lines fit. */
const FIRST_SIZE = 512

/** Collects one line that arrives in pieces, of up to MAX_HEADER_BYTES. */
export class HeaderLine {
  #held = NOTHING
  #length = 0
  #next = 0

  /** Position after the line's newline, in the bytes last read. */
  get next(): number {
    return this.#next
  }

  /** Whether a line has begun. */
  get hasBegun(): boolean {
    return this.#length > 0
  }

  /**
   * Continues reading in `bytes`, at `from`.
   * @returns the complete line without its newline, valid until the next call; undefined if it is incomplete
   * @throws MonitoringMalformed if the line is too long
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

  /** Returns the collected line, and starts another. The end of an envelope may replace the newline. */
  flush(): Buffer {
    const line = this.#held.subarray(0, this.#length)
    this.#length = 0
    return line
  }

  /** Copies the bytes, because a piece may be one byte of a much larger buffer. */
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
