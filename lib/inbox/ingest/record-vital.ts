import { HOUR, toBucket } from '../buckets.ts'
import { noteChange } from '../late-changes.ts'
import { VITALS, type SpanDetail, type Vital } from '../model.ts'
import { attributeOf } from './attributes.ts'
import type { IngestContext } from './context.ts'
import { fieldsOf, numberOf } from './fields.ts'
import { knownName } from './known-names.ts'

/** Milliseconds: what takes longer says nothing of a page. Sentry's SDK has the same bound for INP and LCP. */
const MAX_VALUE = 60_000
const MAX_SHIFT = 100

/** Vitals by name, of a transaction's `measurements`. */
export function vitalsOfMeasurements(measurements: unknown): Map<Vital, number> {
  return pick((key) => numberOf(fieldsOf(fieldsOf(measurements)[key])['value']))
}

/** Vitals by name, of a span's attributes: on the page load or on a span of their own. */
export function vitalsOfAttributes(attributes: unknown): Map<Vital, number> {
  return pick((key) => numberOf(attributeOf(attributes, `browser.web_vital.${key}.value`)))
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
 * Keeps a vital of a page load or navigation. One of each counts for a trace: INP is told again whenever it grows, and
 * the last word takes the place of the one before.
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
  const at = before?.at ?? Math.round(markOf(vital, value, span))
  const page = before?.page ?? knownName(store, project, 'browser', span.page, receivedAt)
  store.run(
    `INSERT INTO vital (trace_id, name, value, at, page, received) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value`,
    traceId,
    vital,
    value,
    at,
    page,
    receivedAt
  )
  const release = context.releaseOf(span.release) ?? 0
  const hour = Math.floor(at / HOUR)
  const of = [project, hour, vital, page, environment, release] as const
  if (before)
    store.run(
      `UPDATE vital_hour SET samples = samples - 1 WHERE project = ? AND hour = ? AND vital = ? AND page = ?
        AND environment = ? AND release = ? AND bucket = ? AND samples > 0`,
      ...of,
      vitalBucket(vital, before.value)
    )
  store.run(
    `INSERT INTO vital_hour (project, hour, vital, page, environment, release, bucket, samples)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET samples = samples + 1`,
    ...of,
    vitalBucket(vital, value)
  )
  noteChange(store, hour)
}

const vitalBucket = (vital: Vital, value: number): number => toBucket(vital === 'CLS' ? value * 1_000 : value)

/** Where it stands on a trace's axis, milliseconds since the epoch: what is measured from the page's begin, there. */
function markOf(vital: Vital, value: number, { op, start, duration }: VitalSpan): number {
  const begin = start / 1_000
  if (vital === 'CLS') return begin + (op === 'pageload' ? duration / 1_000 : 0)
  if (vital === 'INP' && op !== 'pageload') return begin
  return op === 'pageload' || op === 'navigation' ? begin + value : begin + duration / 1_000
}
