import { MAX_TRANSACTION_SPANS } from '@hull/common/constants.ts'
import type { SpanDetail } from '../../store/model.ts'
import { clockShift, isPlausible } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { asObject, asArray, toNumber, parseObject, toRelease, toText, toTime, type Raw } from '../fields.ts'
import { toRequest, userAgentOf } from '../request.ts'
import { sideOf, toSdkNames } from '../side.ts'
import type { GatheredSpan } from '../record-span.ts'
import { addZeroCls, vitalsOfAttributes, vitalsOfMeasurements } from '../vitals.ts'
import { toSpan, type SpanOrigin } from '../span-detail.ts'

/**
 * Maximum microseconds between a span and its segment: an hour. Larger distances come from a wrong clock.
 */
const MAX_DISTANCE = 3_600_000_000

/** Stores a transaction: its segment and the spans in it. */
export function storeTransaction({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const contexts = asObject(raw['contexts'])
  const trace = asObject(contexts['trace'])
  const end = toTime(raw['timestamp'])
  if (end === undefined) throw new TypeError('a transaction says when it ended')
  const release = toRelease(raw['release'])
  const origin: SpanOrigin = {
    side: sideOf({
      platform: toText(raw['platform'], 40),
      sdk: toSdkNames(raw['sdk']),
      op: toText(trace['op'], 60),
      contexts
    }),
    release,
    environment: context.environmentOf(raw['environment']),
    shift: clockShift(end, context)
  }
  const segment = toSegment(raw, trace, origin, end / 1_000)
  if (!segment || !isPlausible((segment.start + segment.duration) / 1_000, context.receivedAt))
    throw new TypeError('a transaction has a trace id, a span id, and a beginning at most a day before its end')
  const vitals = new Map([...vitalsOfAttributes(trace['data']), ...vitalsOfMeasurements(raw['measurements'])])
  if (segment.op === 'pageload') addZeroCls(vitals, userAgentOf(toRequest(raw)))
  const children = toChildren(raw, segment, origin)
  const releaseId = context.releaseOf(release)
  const spans = children.spans.map((span): GatheredSpan => ({ span, release: releaseId, context }))
  context.batch.spans.add({ span: segment, release: releaseId, context, children: { ...children, spans } })
  for (const [vital, value] of vitals)
    context.batch.vitals.add({ vital, value, span: segment, release: releaseId, page: segment.name, context })
}

function toSegment(raw: Raw, trace: Raw, origin: SpanOrigin, end: number): SpanDetail | undefined {
  const start = toTime(raw['start_timestamp'])
  const data = asObject(trace['data'])
  return toSpan(
    {
      traceId: trace['trace_id'],
      spanId: trace['span_id'],
      parentId: trace['parent_span_id'],
      name: raw['transaction'],
      op: trace['op'],
      status: trace['status'],
      start: start === undefined ? undefined : start / 1_000,
      end,
      attributes: { ...asObject(raw['tags']), ...data },
      isSegment: true,
      source: asObject(raw['transaction_info'])['source'] ?? data['sentry.segment.name.source']
    },
    origin
  )
}

/** Reads the spans of a transaction. */
function toChildren(
  raw: Raw,
  segment: SpanDetail,
  origin: SpanOrigin
): { spans: SpanDetail[]; drops: Record<string, number> } {
  const children = asArray(raw['spans'])
  const spans: SpanDetail[] = []
  let invalid = 0
  for (const child of children.slice(0, MAX_TRANSACTION_SPANS).map(asObject)) {
    const span = toSpan(
      {
        traceId: child['trace_id'] ?? segment.traceId,
        spanId: child['span_id'],
        parentId: child['parent_span_id'] ?? segment.spanId,
        name: child['description'],
        op: child['op'] ?? asObject(child['data'])['sentry.op'],
        status: child['status'],
        start: secondsOf(child['start_timestamp']),
        end: secondsOf(child['timestamp']),
        attributes: child['data'],
        isSegment: false,
        segmentId: segment.spanId
      },
      origin
    )
    if (!span || span.traceId !== segment.traceId || isFar(span, segment)) invalid += 1
    else spans.push(span)
  }
  return { spans, drops: { too_many_spans: Math.max(0, children.length - MAX_TRANSACTION_SPANS), invalid } }
}

const isFar = (span: SpanDetail, segment: SpanDetail) =>
  span.start < segment.start - MAX_DISTANCE ||
  span.start + span.duration > segment.start + segment.duration + MAX_DISTANCE

const secondsOf = (value: unknown) => toNumber(value) ?? (toTime(value) ?? Number.NaN) / 1_000
