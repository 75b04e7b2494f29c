import fc from 'fast-check'
import t from 'tap'
import { MonitoringMalformed, MonitoringTooLarge } from '../../src/errors.ts'
import { EnvelopeParser } from '../../src/envelope/parser.ts'
import { fixtures, inPieces } from '@hull/test-helpers/envelopes.ts'

const NEWLINE = 0x0a

/** 32 hexadecimal digits, or a UUID with dashes. */
const EVENT_ID = /^(?:[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5_000 })), { minLength: 1 })
const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array))
const text = (value: fc.Arbitrary<string>) => value.map((string) => Buffer.from(string))
const type = fc.constantFrom('event', 'session', 'log', 'attachment', 'x', '__proto__', '')
const length = fc.oneof(fc.nat(70), fc.constantFrom(undefined, null, -1, 0.5, '3', 2 ** 53, 1e300))
const itemHeader = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type, length }).map((header) => JSON.stringify(header)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) }
)
const item = fc
  .tuple(text(itemHeader), bytes, fc.constantFrom('\n', '\n\n', '', '\r\n'), fc.boolean())
  .map(([header, payload, end, measured]) => {
    const head = measured ? Buffer.from(JSON.stringify({ type: 'event', length: payload.length })) : header
    return Buffer.concat([head, Buffer.from('\n'), payload, Buffer.from(end)])
  })
const structured = fc
  .tuple(fc.constantFrom('{}\n', '{"dsn":"x"}\n', '{}', 'x\n', ''), fc.array(item, { maxLength: 6 }))
  .map(([header, items]) => Buffer.concat([Buffer.from(header), ...items]))
/** Real envelopes with a few changed bytes. */
const mutated = fc
  .tuple(fc.constantFrom(...fixtures), fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 4 }), fc.nat(30_000))
  .map(([fixture, changes, end]) => {
    const copy = Buffer.from(fixture.bytes.subarray(0, end))
    for (const [at, value] of changes) if (at < copy.length) copy[at] = value
    return copy
  })

/** Parses an envelope. @returns the number of its items, or an error code */
function parse(bytes: Buffer, sizes: readonly number[]) {
  const rest: Buffer[] = []
  const parser = new EnvelopeParser(() => {})
  try {
    for (const piece of inPieces(bytes, sizes)) {
      const after = parser.push(piece)
      if (after) rest.push(after)
    }
    parser.end()
  } catch (error) {
    if (error instanceof MonitoringMalformed || error instanceof MonitoringTooLarge) return error.code
    throw error
  }
  const passed = Buffer.concat(rest)
  if (!passed.equals(bytes.subarray(bytes.length - passed.length)))
    throw new Error('the parser returned other bytes than it received')
  return Object.values(parser.counts).reduce((sum, count) => sum + count, 0)
}

/**
 * A simple parser of the same format that works in memory.
 * @returns the number of items, or undefined for a malformed envelope
 */
function countItems(bytes: Buffer): number | undefined {
  const lineEnd = (from: number) => {
    const newline = bytes.indexOf(NEWLINE, from)
    return newline === -1 ? bytes.length : newline
  }
  const parseJson = (from: number, end: number): Record<string, unknown> => {
    const value = JSON.parse(
      new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from, end))
    )
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no object')
    return value as Record<string, unknown>
  }
  try {
    let at = lineEnd(0)
    const { event_id: id, dsn } = parseJson(0, at)
    if ((id != null && !(typeof id === 'string' && EVENT_ID.test(id))) || (dsn != null && typeof dsn !== 'string'))
      return undefined
    let items = 0
    for (at++; at < bytes.length; at++) {
      if (bytes[at] === NEWLINE) continue
      const headerEnd = lineEnd(at)
      const { type, length, item_count: count } = parseJson(at, headerEnd)
      if (typeof type !== 'string' || type === '') return undefined
      const start = Math.min(headerEnd + 1, bytes.length)
      if (length != null && (!Number.isSafeInteger(length) || (length as number) < 0)) return undefined
      at = length == null ? lineEnd(start) : start + (length as number)
      if (at > bytes.length || (at < bytes.length && bytes[at] !== NEWLINE)) return undefined
      items += Number.isSafeInteger(count) && (count as number) > 0 ? Math.min(count as number, 10_000) : 1
    }
    return items
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

for (const [name, envelope, runs] of [
  ['random envelopes', structured, 5_000],
  ['real envelopes with changed bytes', mutated, 3_000],
  ['random bytes', bytes, 2_000]
] as const)
  t.test(`${name} are accepted or refused according to the format, however they are split`, async (t) => {
    const outcomes = new Set<string>()
    fc.assert(
      fc.property(envelope, sizes, (envelope, sizes) => {
        const expected = countItems(envelope)
        const whole = parse(envelope, [Infinity])
        const inParts = parse(envelope, sizes)
        outcomes.add(String(typeof whole))
        // The format itself has no size limits.
        if (whole === 'APP_MONITORING_TOO_LARGE') return inParts === whole
        return whole === inParts && whole === (expected ?? 'APP_MONITORING_MALFORMED')
      }),
      { numRuns: runs }
    )
    t.ok(outcomes.has('string'), 'some were refused')
    if (name !== 'random bytes') t.ok(outcomes.has('number'), 'some were accepted')
  })
