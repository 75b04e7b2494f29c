import { clip } from '@hull/common/visible-text.ts'
import { getOrInsert } from '../../get-or-insert.ts'
import type { Side, SpanDetail, Vital } from '../../store/model.ts'
import type { TraceSpan, TraceView } from '../../queries/traces/trace-types.ts'

/** Maximum characters of a label. */
const MAX_LABEL = 80

/** Maximum dark parts of a bar (self time), the longest. */
const MAX_SELF = 16

/** Maximum levels of indentation. */
const MAX_DEPTH = 12

/** Maximum rows to draw; the remaining spans are counted. */
const MAX_ROWS = 2_000

/** Interval on the axis, in percent. */
type Stretch = [from: number, width: number]

export interface WaterfallBar {
  spanId: string
  at: Stretch
  /** Self time: intervals without a running child. */
  self: Stretch[]
  status: SpanDetail['status']
  /** Number of the attempt, if there was more than one. */
  attempt?: number
}

/** One row: a span, or all attempts of one request. */
export interface WaterfallRow {
  side: Side
  depth: number
  op: string
  name: string
  bars: WaterfallBar[]
  /** Milliseconds since the start of the trace. */
  start: number
  /** Milliseconds from the start of the first bar to the end of the last. */
  duration: number
  /** Milliseconds. */
  self: number
  isOrphan: boolean
  errors: WaterfallError[]
}

export interface WaterfallError {
  eventId: string
  type: string
  /** Position on the axis, in percent. */
  at: number
  /** The error that the page is about. */
  isCurrent: boolean
}

interface WaterfallMark {
  name: Vital
  value: number
  at: number
  /** Row of the label, so that labels do not overlap. */
  line: number
  /** The label is on the left of the mark, because there is no room on the right. */
  isEnd: boolean
}

export interface Waterfall {
  traceId: string
  ticks: { at: number; ms: number }[]
  marks: WaterfallMark[]
  /** Rows that the labels need. */
  lines: number
  rows: WaterfallRow[]
  /** Number of spans without a row. */
  omitted: number
  /** Errors without a known span. */
  errors: WaterfallError[]
}

/**
 * Lays out a trace on one axis: browser spans above server spans.
 * @param error event id of the error that the page is about
 */
export function toWaterfall(trace: TraceView, { error }: { error?: string } = {}): Waterfall {
  const axis = toAxis(trace)
  const errors = trace.errors.map(({ spanId, at, eventId, type }) => ({
    spanId,
    shown: { eventId, type, at: axis.place(at * 1_000), isCurrent: eventId === error }
  }))
  const known = new Set(trace.spans.map(({ spanId }) => spanId))
  const ofSpans = Map.groupBy(errors, ({ spanId }) => spanId)
  const rows = toRows(trace.spans, axis, (spanId) => (ofSpans.get(spanId) ?? []).map(({ shown }) => shown))
  return {
    traceId: trace.traceId,
    ticks: toTicks(axis.duration / 1_000),
    ...toMarks(trace, axis),
    rows: rows.slice(0, MAX_ROWS),
    omitted: trace.omitted + rows.slice(MAX_ROWS).reduce((sum, { bars }) => sum + bars.length, 0),
    errors: errors.filter(({ spanId }) => spanId === undefined || !known.has(spanId)).map(({ shown }) => shown)
  }
}

interface Axis {
  /** Microseconds since the epoch. */
  start: number
  /** Microseconds. */
  duration: number
  /** Converts microseconds since the epoch to percent of the axis. */
  place: (at: number) => number
  stretch: (start: number, duration: number) => Stretch
}

/** Microseconds of the shortest axis. A shorter one would have the label `0 ms` several times. */
const SHORTEST_AXIS = 100

/** From the first span to the last, extended to vitals reported soon afterwards. */
function toAxis({ start, duration, vitals }: TraceView): Axis {
  const reach = duration * 1.25
  const marks = vitals.map(({ at }) => at * 1_000 - start).filter((at) => at <= reach)
  const whole = Math.max(SHORTEST_AXIS, duration, ...marks) * 1.01
  const place = (at: number) => round(Math.min(100, Math.max(0, ((at - start) / whole) * 100)))
  return {
    start,
    duration: whole,
    place,
    stretch: (from, length) => [place(from), round(Math.max(0.05, (length / whole) * 100))]
  }
}

const round = (percent: number) => Math.round(percent * 100) / 100

function toRows(
  spans: readonly TraceSpan[],
  axis: Axis,
  errorsOf: (spanId: string) => WaterfallError[]
): WaterfallRow[] {
  const rows: WaterfallRow[] = []
  const attempts = new Map<string, WaterfallRow[]>()
  spans.forEach((span, i) => {
    const { spanId, side, status, depth, op, name, isOrphan, attributes, parentId } = span
    const attempt = typeof attributes['attempt'] === 'number' ? attributes['attempt'] : undefined
    const start = (span.start - axis.start) / 1_000
    const duration = span.duration / 1_000
    const self = span.self / 1_000
    const errors = errorsOf(spanId)
    const bar: WaterfallBar = {
      spanId,
      status,
      at: axis.stretch(span.start, span.duration),
      self: selfStretches(spans, i, axis),
      ...(attempt !== undefined && { attempt })
    }
    const same = attempt === undefined ? [] : getOrInsert(attempts, `${parentId} ${op} ${name}`, () => [])
    const known = same.find((row) => isNext(row, attempt, start))
    if (known) {
      known.bars.push(bar)
      known.errors.push(...errors)
      known.duration = start + duration - known.start
      known.self += self
      return
    }
    const row: WaterfallRow = {
      side,
      depth: Math.min(depth, MAX_DEPTH),
      op,
      name: clip(name, MAX_LABEL),
      bars: [bar],
      start,
      duration,
      self,
      isOrphan,
      errors
    }
    rows.push(row)
    same.push(row)
  })
  // A single attempt is not numbered.
  for (const { bars } of rows) if (bars.length === 1) delete bars[0]!.attempt
  return rows
}

/** Whether an attempt continues a row's attempts: two concurrent requests may have the same name. */
const isNext = ({ bars, start, duration }: WaterfallRow, attempt: number | undefined, begins: number): boolean =>
  bars.at(-1)!.attempt === Number(attempt) - 1 && start + duration <= begins + 1

/** Intervals of a span without a running child; empty for a span without children, which is all self time. */
function selfStretches(spans: readonly TraceSpan[], index: number, { stretch }: Axis): Stretch[] {
  const { start, duration, depth, children } = spans[index]!
  if (children === 0 || duration === 0) return []
  const parts: [start: number, length: number][] = []
  let at = start
  // Descendants follow their ancestor, and children are sorted by start.
  for (let i = index + 1; i < spans.length && spans[i]!.depth > depth; i++) {
    const child = spans[i]!
    if (child.depth !== depth + 1) continue
    if (child.start > at) parts.push([at, Math.min(child.start, start + duration) - at])
    at = Math.max(at, child.start + child.duration)
  }
  if (at < start + duration) parts.push([at, start + duration - at])
  return parts
    .filter(([, length]) => length > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SELF)
    .map(([from, length]) => stretch(from, length))
    .filter(([, width]) => width >= 0.1)
}

/** Round steps, four to seven on the axis. */
function toTicks(ms: number): Waterfall['ticks'] {
  const rough = ms / 6
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? rough
  const ticks: Waterfall['ticks'] = []
  for (let i = 0; i * step <= ms * 0.98; i++) ticks.push({ at: round(((i * step) / ms) * 100), ms: i * step })
  return ticks
}

/** Approximate width of a label in percent of the axis, on the narrowest screens. */
const LABEL_WIDTH = 24

function toMarks({ vitals }: TraceView, axis: Axis): Pick<Waterfall, 'marks' | 'lines'> {
  const ends: number[] = []
  const marks = vitals.map(({ name, value, at }): WaterfallMark => {
    const place = axis.place(at * 1_000)
    const isEnd = place > 100 - LABEL_WIDTH
    const from = isEnd ? place - LABEL_WIDTH : place
    const free = ends.findIndex((end) => end <= from)
    const line = free === -1 ? ends.length : free
    ends[line] = from + LABEL_WIDTH
    return { name, value, at: place, line, isEnd }
  })
  return { marks, lines: ends.length }
}
