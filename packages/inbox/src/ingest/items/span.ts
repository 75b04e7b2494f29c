import { MAX_TRANSACTION_SPANS } from '@hull/common/constants.ts'
import { getOrInsert } from '../../get-or-insert.ts'
import type { SpanDetail } from '../../store/model.ts'
import { attributeOf, routeOf, toSpan, type RawSpan } from '../span-detail.ts'
import { clockShift, isPlausible } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { asObject, asArray, isObject, toNumber, parseObject, toRelease, toText, type Raw } from '../fields.ts'
import { addZeroCls, vitalsOfAttributes, vitalsOfMeasurements, type PageSearch } from '../vitals.ts'
import { sideOf } from '../side.ts'

/** A span that only carries a vital. It lasts from the start of the page to the time of the vital. */
const VITAL_OP = /^ui\.webvital\./

/** A segment that is not a page: its name is an element's selector, and an attribute contains the page. */
const NO_PAGE = /^ui\.(?:webvital|interaction)\./

/** Stores spans: an item of the newer model with many spans, or a single span of the older model. */
export function storeSpans({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const isMany = Array.isArray(raw['items'])
  // Only SDKs in browsers send it. Those of frameworks have the same name on both sides.
  const isBrowser = isObject(raw['ingest_settings'])
  const all = isMany ? asArray(raw['items']) : [raw]
  if (all.length > MAX_TRANSACTION_SPANS) context.drop('too_many_spans', 'span', all.length - MAX_TRANSACTION_SPANS)
  const spans = all
    .slice(0, MAX_TRANSACTION_SPANS)
    .map((span) => (isMany ? fromNew(asObject(span), isBrowser) : fromOld(asObject(span))))
  // Segments first: the page of a vital is the name of its segment, which SDKs send last.
  spans.sort((a, b) => Number(b.isSegment) - Number(a.isSegment))
  const newest = spans.reduce((latest, { end }) => Math.max(latest, toNumber(end) ?? 0), 0) * 1_000
  const shift = clockShift(newest, context)
  const environments = new Map<unknown, string>()
  let invalid = 0
  for (const span of spans) {
    const { side, release, environment: sent } = span
    const environment = getOrInsert(environments, sent, () => context.environmentOf(sent))
    const detail = toSpan(span, { side, release, environment, shift })
    if (!detail || !isPlausible((detail.start + detail.duration) / 1_000, context.receivedAt)) invalid += 1
    else gather(detail, span, context)
  }
  if (invalid > 0) context.drop('invalid', 'span', invalid)
}

interface FoundSpan extends RawSpan {
  side: SpanDetail['side']
  release: string | undefined
  environment: unknown
  segmentName: string | undefined
  measurements: unknown
}

function gather(span: SpanDetail, raw: FoundSpan, context: IngestContext): void {
  const release = context.releaseOf(span.release)
  if (!VITAL_OP.test(span.op)) context.batch.spans.add({ span, release, context })
  const vitals = new Map([...vitalsOfAttributes(raw.attributes), ...vitalsOfMeasurements(raw.measurements)])
  if (span.isSegment && span.op === 'pageload')
    addZeroCls(vitals, toText(attributeOf(raw.attributes, 'user_agent.original'), 512))
  for (const [vital, value] of vitals)
    context.batch.vitals.add({ vital, value, span, release, page: pageOf(span, raw), context })
}

/** Returns the page of a vital: the name of its segment, or the page that the span names, as it was stored. */
function pageOf(
  { op, isSegment, name, segmentId, parentId }: SpanDetail,
  { segmentName, source }: FoundSpan
): string | PageSearch {
  if (isSegment && !NO_PAGE.test(op)) return name
  return {
    name: segmentName ?? '',
    spanId: isSegment ? undefined : (segmentId ?? parentId),
    otherwise: routeOf(segmentName ?? name, isSegment ? undefined : toText(source, 20), undefined)
  }
}

function fromNew(span: Raw, isBrowser: boolean): FoundSpan {
  const { attributes } = span
  const read = (name: string) => attributeOf(attributes, name)
  const op = toText(read('sentry.op'), 60)
  return {
    traceId: span['trace_id'],
    spanId: span['span_id'],
    parentId: span['parent_span_id'],
    name: span['name'],
    op,
    status: span['status'],
    start: span['start_timestamp'],
    end: span['end_timestamp'],
    attributes,
    isSegment: span['is_segment'] === true,
    segmentId: read('sentry.segment.id'),
    source: read('sentry.segment.name.source'),
    side: isBrowser ? 'browser' : sideOf({ sdk: toText(read('sentry.sdk.name'), 80), op }),
    release: toRelease(read('sentry.release')),
    environment: read('sentry.environment'),
    segmentName: toText(read('sentry.segment.name') ?? read('sentry.transaction'), 300),
    measurements: undefined
  }
}

function fromOld(span: Raw): FoundSpan {
  const data = asObject(span['data'])
  const op = toText(span['op'] ?? data['sentry.op'], 60)
  return {
    traceId: span['trace_id'],
    spanId: span['span_id'],
    parentId: span['parent_span_id'],
    name: span['description'],
    op,
    status: span['status'],
    start: span['start_timestamp'],
    end: span['timestamp'],
    attributes: data,
    isSegment: span['is_segment'] === true,
    segmentId: span['segment_id'],
    source: data['sentry.segment.name.source'],
    side: sideOf({ platform: toText(span['platform'], 40), sdk: toText(data['sentry.sdk.name'], 80), op }),
    release: toRelease(data['release'] ?? data['sentry.release']),
    environment: data['environment'] ?? data['sentry.environment'],
    segmentName: toText(data['transaction'] ?? data['sentry.segment.name'] ?? data['sentry.transaction'], 300),
    measurements: span['measurements']
  }
}
