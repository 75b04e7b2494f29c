import { isUtf8 } from 'node:buffer'
import { MonitoringMalformed } from '../errors.ts'
import { MAX_HEADER_DEPTH } from './limits.ts'

/** What is taken of an envelope's header. */
export interface EnvelopeHeader {
  /** `event_id`, `dsn`, `sdk` and `trace`, those that there are. Everything else is dropped: a provider would heed it. */
  fields: { event_id?: string; dsn?: string; sdk?: object; trace?: object }
  /** When the client says that it sent the envelope, milliseconds since the epoch. */
  sentAt?: number
}

/** What is read of an item's header, which goes on as it came. */
export interface ItemHeader {
  type: string
  /** Bytes of the payload; undefined when a newline ends it. */
  length?: number
  /** How many spans, logs or metrics the item says it holds. */
  itemCount?: number
}

/** A UUID, with or without its dashes. */
const EVENT_ID = /^[\da-f]{8}(-?)[\da-f]{4}\1[\da-f]{4}\1[\da-f]{4}\1[\da-f]{12}$/i

/**
 * Reads an envelope's header line.
 * @throws MonitoringMalformed never repeating what was sent
 */
export function parseEnvelopeHeader(line: Buffer): EnvelopeHeader {
  const { event_id, dsn, sdk, trace, sent_at } = parseObject(line, 'the envelope header')
  const fields: EnvelopeHeader['fields'] = {}
  if (event_id != null) {
    if (typeof event_id !== 'string' || !EVENT_ID.test(event_id)) throw new MonitoringMalformed('event_id is no UUID')
    fields.event_id = event_id
  }
  if (dsn != null) {
    if (typeof dsn !== 'string') throw new MonitoringMalformed('dsn is no string')
    fields.dsn = dsn
  }
  if (isObject(sdk)) fields.sdk = shallow(sdk)
  if (isObject(trace)) fields.trace = shallow(trace)
  const sentAt = typeof sent_at === 'string' ? Date.parse(sent_at) : NaN
  return Number.isNaN(sentAt) ? { fields } : { fields, sentAt }
}

/**
 * Reads an item's header line.
 * @throws MonitoringMalformed never repeating what was sent
 */
export function parseItemHeader(line: Buffer): ItemHeader {
  const { type, length, item_count: itemCount } = parseObject(line, 'an item header')
  if (typeof type !== 'string' || type === '') throw new MonitoringMalformed('an item has no type')
  const header: ItemHeader = { type }
  if (length != null) {
    if (!isCount(length)) throw new MonitoringMalformed('the length of an item is no whole number of bytes')
    header.length = length
  }
  if (isCount(itemCount)) header.itemCount = itemCount
  return header
}

/** What JSON.parse says is not passed on: it quotes the text. */
function parseObject(line: Buffer, what: string): Record<string, unknown> {
  let value: unknown
  try {
    value = isUtf8(line) ? JSON.parse(line.toString()) : undefined
  } catch {}
  if (!isObject(value)) throw new MonitoringMalformed(`${what} is no JSON object`)
  return value as Record<string, unknown>
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** What is written anew must not be so deep that writing it overflows the stack. */
function shallow<T extends object>(value: T): T {
  if (isDeeper(value, MAX_HEADER_DEPTH)) throw new MonitoringMalformed('the envelope header is nested too deep')
  return value
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}
