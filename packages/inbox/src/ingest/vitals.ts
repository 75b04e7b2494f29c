import { HOUR } from '@hull/common/time.ts'
import { toBucket } from '../queries/rollups/buckets.ts'
import { VITALS, type SpanDetail, type Vital } from '../store/model.ts'
import { IN_DAYS, type Store } from '../store/store.ts'
import type { IngestContext } from './context.ts'
import { asObject, toNumber } from './fields.ts'
import { attributeOf } from './span-detail.ts'

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

/** A vital of a batch, and the span that carried it. */
export interface GatheredVital {
  vital: Vital
  value: number
  span: SpanDetail
  release: number | null
  /** The page, or how to find it. */
  page: string | PageSearch
  context: IngestContext
}

/** Describes the segment whose name is the page of a vital. */
export interface PageSearch {
  /** Name of a page load or navigation in the same trace. */
  name: string
  /** Id of the segment. */
  spanId: string | undefined
  /** The page if there is no such segment. */
  otherwise: string
}

interface VitalRow {
  traceId: string
  name: Vital
  value: number
  /** Milliseconds since the epoch. */
  at: number
  page: string
  /** Milliseconds since the epoch. */
  received: number
}

/**
 * Stores the vitals of a batch. A trace has one value of each vital. INP and CLS are reported again when they have
 * grown; the larger value then replaces the smaller one, together with its time. Call it after the spans are stored.
 */
export function writeVitals(store: Store, gathered: readonly GatheredVital[]): void {
  if (gathered.length === 0) return
  const rows = new Map<string, VitalRow>()
  const traces = gathered.map(({ span }) => span.traceId)
  const sql = 'SELECT trace_id AS "traceId", name, value, at, page, received FROM vital WHERE trace_id IN (:keys)'
  for (const row of store.allIn<VitalRow>(sql, traces)) rows.set(`${row.traceId} ${row.name}`, row)
  const findPage = createPageFinder(store, gathered)
  const changed = new Set<VitalRow>()
  for (const one of gathered) {
    const key = `${one.span.traceId} ${one.vital}`
    const before = rows.get(key)
    if (before && before.value >= one.value) continue
    const row = before ?? toVitalRow(one, one.context.nameOf('browser', findPage(one)))
    if (before) countVital(one, before, -1)
    Object.assign(row, { value: one.value, at: Math.round(markOf(one.vital, one.value, one.span)) })
    countVital(one, row, 1)
    rows.set(key, row)
    changed.add(row)
  }
  store.insertRows(
    'INSERT INTO vital (trace_id, name, value, at, page, received)',
    [...changed].map(({ traceId, name, value, at, page, received }) => [traceId, name, value, at, page, received]),
    'ON CONFLICT (trace_id, name) DO UPDATE SET value = excluded.value, at = excluded.at'
  )
}

const toVitalRow = ({ span, vital, value, context }: GatheredVital, page: string): VitalRow => ({
  traceId: span.traceId,
  name: vital,
  value,
  at: 0,
  page,
  received: context.receivedAt
})

function countVital({ span, vital, release, context }: GatheredVital, row: VitalRow, samples: 1 | -1): void {
  const { project, batch } = context
  const { at, page, value } = row
  const place = { project, hour: Math.floor(at / HOUR), environment: span.environment, release: release ?? 0 }
  batch.rollups.countVital({ ...place, vital, page, bucket: bucketOf(vital, value) }, samples)
}

interface SegmentRow {
  traceId: string
  spanId: string
  name: string
  op: string
}

/** Returns a function that finds the pages of vitals among the stored segments. */
function createPageFinder(store: Store, gathered: readonly GatheredVital[]): (vital: GatheredVital) => string {
  const searching = gathered.filter(({ page }) => typeof page !== 'string')
  const segments = store.allIn<SegmentRow>(
    `SELECT trace_id AS "traceId", span_id AS "spanId", name, op FROM span
     WHERE is_segment = 1 AND ${IN_DAYS} AND trace_id IN (:keys)`,
    searching.map(({ span }) => span.traceId),
    ...store.daysSince(Math.min(...searching.map(({ span }) => span.start / 1_000)))
  )
  const byTrace = Map.groupBy(segments, ({ traceId }) => traceId)
  return ({ page, span }) => {
    if (typeof page === 'string') return page
    const ofTrace = byTrace.get(span.traceId) ?? []
    const found =
      ofTrace.find(({ spanId }) => spanId === page.spanId) ??
      ofTrace.find(({ op, name }) => PAGES.has(op) && name === page.name)
    return found?.name ?? page.otherwise
  }
}

/** Operations of segments that are pages. */
const PAGES = new Set(['pageload', 'navigation'])

const bucketOf = (vital: Vital, value: number): number => toBucket(vital === 'CLS' ? value * 1_000 : value)

/**
 * Returns the vital's position in the trace, in milliseconds since the epoch. Vitals that are measured from the start
 * of the page are at the start plus the value.
 */
function markOf(vital: Vital, value: number, { op, start, duration }: SpanDetail): number {
  const begin = start / 1_000
  if (vital === 'CLS') return begin + (op === 'pageload' && value > 0 ? duration / 1_000 : 0)
  if (vital === 'INP') return op === 'pageload' ? begin + duration / 1_000 : begin
  return op === 'pageload' || op === 'navigation' ? begin + value : begin + duration / 1_000
}
