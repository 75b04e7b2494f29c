import { HOUR } from '@hull/common/time.ts'
import type { IngestContext } from './context.ts'
import { asObject, toNumber } from './fields.ts'
import { attributeOf } from './span-detail.ts'
import { toBucket } from '../queries/buckets.ts'
import { VITALS, type SpanDetail, type Vital } from '../store/model.ts'

const HOUR_MICROS = 3_600_000_000

/** Operations with latency rollups: requests to a server, page loads and navigations. */
const TIMED = new Set(['http.server', 'pageload', 'navigation'])

/**
 * Stores a span, and counts its latency if it is a segment of a {@link TIMED} operation. Ignores a span that was stored
 * before: clients send a span again if they received no answer.
 * @returns whether the span is new
 */
export function recordSpan(span: SpanDetail, context: IngestContext): boolean {
  const { store, project, receivedAt } = context
  const release = context.releaseOf(span.release)
  const { changes } = store.run(
    `INSERT OR IGNORE INTO span (project, trace_id, span_id, parent_id, is_segment, segment_id, side, name, op, status,
      start, duration, received, release, environment, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    project,
    span.traceId,
    span.spanId,
    span.parentId ?? null,
    Number(span.isSegment),
    span.segmentId ?? null,
    span.side,
    span.name,
    span.op,
    span.status,
    span.start,
    span.duration,
    receivedAt,
    release,
    span.environment,
    JSON.stringify(span.attributes)
  )
  if (changes === 0) return false
  if (span.isSegment && TIMED.has(span.op)) countSegment(span, release ?? 0, context)
  return true
}

function countSegment(span: SpanDetail, release: number, context: IngestContext): void {
  const { project, rollups } = context
  const { side, name, environment, duration, status } = span
  const hour = Math.floor(span.start / HOUR_MICROS)
  const route = context.nameOf(side, name)
  const bucket = toBucket(duration / 1_000)
  rollups.countLatency({ project, hour, environment, release, side, route, bucket }, status === 'error')
}

/**
 * Maximum milliseconds of a vital. Larger values say nothing about a page. Sentry's SDK has the same limit for INP and
 * LCP.
 */
const MAX_VALUE = 60_000
const MAX_SHIFT = 100

/** Engines that support the performance entry `layout-shift`. Chrome on iOS (CriOS) does not. */
const CHROMIUM = /\b(?:Headless)?Chrom(?:e|ium)\//

/** Returns the vitals in a transaction's `measurements`. */
export function vitalsOfMeasurements(measurements: unknown): Map<Vital, number> {
  return pick((key) => toNumber(asObject(asObject(measurements)[key])['value']))
}

/** Returns the vitals in a span's attributes: of a page load, or of a span for a vital. */
export function vitalsOfAttributes(attributes: unknown): Map<Vital, number> {
  return pick((key) => toNumber(attributeOf(attributes, `browser.web_vital.${key}.value`)))
}

/**
 * Adds a CLS of 0 to the vitals of a page load that painted but reported no layout shift, because SDKs only report
 * shifts. Only for Chromium: other engines do not measure layout shifts.
 */
export function addZeroCls(vitals: Map<Vital, number>, userAgent: string | undefined): void {
  const hasPainted = vitals.has('LCP') || vitals.has('FCP')
  if (hasPainted && !vitals.has('CLS') && (userAgent === undefined || CHROMIUM.test(userAgent))) vitals.set('CLS', 0)
}

function pick(read: (key: string) => number | undefined): Map<Vital, number> {
  const found = new Map<Vital, number>()
  for (const vital of VITALS) {
    const value = read(vital.toLowerCase())
    if (value !== undefined && value >= 0 && value <= (vital === 'CLS' ? MAX_SHIFT : MAX_VALUE)) found.set(vital, value)
  }
  return found
}

/** The page of a vital, and the span with the page's start. */
export type VitalSpan = Pick<SpanDetail, 'traceId' | 'start' | 'duration' | 'release' | 'environment' | 'op'> & {
  page: string
}

/**
 * Stores a vital of a page load or navigation. A trace has one value of each vital. INP and CLS are reported again when
 * they have grown; the larger value then replaces the smaller one, together with its time.
 */
export function recordVital(vital: Vital, value: number, span: VitalSpan, context: IngestContext): void {
  const { store, project, receivedAt, rollups } = context
  const { traceId, environment } = span
  const before = store.get<{ value: number; page: string; at: number }>(
    'SELECT value, page, at FROM vital WHERE trace_id = ? AND name = ?',
    traceId,
    vital
  )
  if (before && before.value >= value) return
  const at = Math.round(markOf(vital, value, span))
  const page = before?.page ?? context.nameOf('browser', span.page)
  store.run(
    `INSERT INTO vital (trace_id, name, value, at, page, received) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value, at = excluded.at`,
    traceId,
    vital,
    value,
    at,
    page,
    receivedAt
  )
  const release = context.releaseOf(span.release) ?? 0
  const count = (time: number, sample: number, samples: 1 | -1) =>
    rollups.countVital(
      { project, hour: Math.floor(time / HOUR), environment, release, vital, page, bucket: bucketOf(vital, sample) },
      samples
    )
  if (before) count(before.at, before.value, -1)
  count(at, value, 1)
}

const bucketOf = (vital: Vital, value: number): number => toBucket(vital === 'CLS' ? value * 1_000 : value)

/**
 * Returns the vital's position in the trace, in milliseconds since the epoch. Vitals that are measured from the start
 * of the page are at the start plus the value.
 */
function markOf(vital: Vital, value: number, { op, start, duration }: VitalSpan): number {
  const begin = start / 1_000
  if (vital === 'CLS') return begin + (op === 'pageload' && value > 0 ? duration / 1_000 : 0)
  if (vital === 'INP') return op === 'pageload' ? begin + duration / 1_000 : begin
  return op === 'pageload' || op === 'navigation' ? begin + value : begin + duration / 1_000
}
