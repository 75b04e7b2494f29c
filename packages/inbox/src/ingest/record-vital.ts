import { HOUR } from '@hull/common/time.ts'
import { toBucket } from '../queries/buckets.ts'
import { noteChange } from '../store/rollups.ts'
import { VITALS, type SpanDetail, type Vital } from '../store/model.ts'
import { attributeOf } from './attributes.ts'
import type { IngestContext } from './context.ts'
import { fieldsOf, numberOf } from './fields.ts'
import { knownName } from './known-names.ts'

/** Milliseconds: what takes longer says nothing of a page. Sentry's SDK has the same bound for INP and LCP. */
const MAX_VALUE = 60_000
const MAX_SHIFT = 100

/** Engines with the performance entry `layout-shift`. Chrome on iOS names itself CriOS and has none. */
const CHROMIUM = /\b(?:Headless)?Chrom(?:e|ium)\//

/** Vitals by name, of a transaction's `measurements`. */
export function vitalsOfMeasurements(measurements: unknown): Map<Vital, number> {
  return pick((key) => numberOf(fieldsOf(fieldsOf(measurements)[key])['value']))
}

/** Vitals by name, of a span's attributes: on the page load or on a span of their own. */
export function vitalsOfAttributes(attributes: unknown): Map<Vital, number> {
  return pick((key) => numberOf(attributeOf(attributes, `browser.web_vital.${key}.value`)))
}

/**
 * Adds a CLS of 0 to the vitals of a page load that painted and reported no layout shift: SDKs report shifts only. Other
 * engines than Chromium do not measure them, so that nothing is known of a page there.
 */
export function addStillness(vitals: Map<Vital, number>, userAgent: string | undefined): void {
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

/** The page a vital is of, and when the page began. */
export type VitalSpan = Pick<SpanDetail, 'traceId' | 'start' | 'duration' | 'release' | 'environment' | 'op'> & {
  page: string
}

/**
 * Keeps a vital of a page load or navigation. One of each counts for a trace: INP and CLS are reported again when they
 * have grown, and the larger value replaces the smaller one, at the time at which it was measured.
 */
export function recordVital(vital: Vital, value: number, span: VitalSpan, context: IngestContext): void {
  const { store, project, receivedAt } = context
  const { traceId, environment } = span
  const before = store.get<{ value: number; page: string; at: number }>(
    'SELECT value, page, at FROM vital WHERE trace_id = ? AND name = ?',
    traceId,
    vital
  )
  if (before && before.value >= value) return
  const at = Math.round(markOf(vital, value, span))
  const page = before?.page ?? knownName(store, project, 'browser', span.page, receivedAt)
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
  const hour = Math.floor(at / HOUR)
  const of = [vital, page, environment, release] as const
  if (before) {
    const hourBefore = Math.floor(before.at / HOUR)
    store.run(
      `UPDATE vital_hour SET samples = samples - 1 WHERE project = ? AND hour = ? AND vital = ? AND page = ?
        AND environment = ? AND release = ? AND bucket = ? AND samples > 0`,
      project,
      hourBefore,
      ...of,
      vitalBucket(vital, before.value)
    )
    noteChange(store, hourBefore)
  }
  store.run(
    `INSERT INTO vital_hour (project, hour, vital, page, environment, release, bucket, samples)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET samples = samples + 1`,
    project,
    hour,
    ...of,
    vitalBucket(vital, value)
  )
  noteChange(store, hour)
}

const vitalBucket = (vital: Vital, value: number): number => toBucket(vital === 'CLS' ? value * 1_000 : value)

/** Where it stands on a trace's axis, milliseconds since the epoch: what is measured from the page's begin, there. */
function markOf(vital: Vital, value: number, { op, start, duration }: VitalSpan): number {
  const begin = start / 1_000
  if (vital === 'CLS') return begin + (op === 'pageload' && value > 0 ? duration / 1_000 : 0)
  if (vital === 'INP') return op === 'pageload' ? begin + duration / 1_000 : begin
  return op === 'pageload' || op === 'navigation' ? begin + value : begin + duration / 1_000
}
