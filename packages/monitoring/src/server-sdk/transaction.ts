import type { Scope, SpanJSON } from '@sentry/core'
import { scrubPart } from '@hull/common/scrub-event.ts'
import type { TelemetryClient } from './client.ts'
import { Batcher } from './batcher.ts'
import type { RecordedSpan, Recording, Sender } from './recording.ts'
import { describeRequest, type RequestDisclosure } from './request-data.ts'
import { sentry } from './sentry.ts'
import { toStatusCode } from './spans.ts'

/** Origin of our spans in the SDK's terms: neither the SDK nor one of its integrations. */
const ORIGIN = 'manual'

/**
 * Sends recordings as transactions, batched for up to a second, each as the SDK would create it. The SDK itself creates
 * them if the application has set data for all requests, which only the SDK can add.
 */
export function createSender(client: TelemetryClient, disclosure: RequestDisclosure): Sender {
  const { environment, release, runtime, serverName } = client.getOptions()
  const integrations = client.getIntegrationNames()
  const clean = disclosure.sendPii ? <T>(part: T): T => part : scrubPart
  const batcher = new Batcher<Recording>((gathered) => {
    const bySdk = isForSdk()
    for (const recording of gathered) finish(recording, bySdk)
  })
  client.release = () => batcher.release()

  function add(recording: Recording): void {
    const { request } = recording.context.trace!
    // Called before the connection closes: a closed connection has no address.
    if (request) recording.requestData = describeRequest({}, request, disclosure)
    batcher.add(recording)
  }

  /** Whether the application has set something that the SDK adds to all transactions. */
  const isForSdk = () => client.isExtended || !isUntouched()

  function finish(recording: Recording, bySdk: boolean): void {
    if (bySdk) recording.handToSdk()
    else if (recording.markSent()) write(recording)
  }

  function write({ root, spans, context, requestData: { request, tags, user } }: Recording): void {
    const { traceId, parentSpanId, facts } = context.trace!
    const { name } = root.ending
    const source = name === undefined ? 'custom' : 'route'
    const { data, op, status, origin, description } = toJson(root)
    client.sendEvent({
      type: 'transaction',
      event_id: sentry().uuid4(),
      transaction: name === undefined ? description : clean(name),
      transaction_info: { source },
      start_timestamp: root.startedAt,
      timestamp: root.endedAt,
      contexts: {
        trace: {
          trace_id: traceId,
          span_id: root.id,
          parent_span_id: parentSpanId,
          data: { ...data, 'sentry.segment.name.source': source },
          op,
          status,
          origin
        },
        runtime
      },
      spans: spans.slice(1).map(toJson),
      request: clean(request),
      tags: clean(tags),
      ...(disclosure.sendPii && { user }),
      platform: 'node',
      environment,
      release,
      server_name: serverName,
      sdk: { integrations },
      sdkProcessingMetadata: { dynamicSamplingContext: facts }
    })
  }

  function toJson({ id, info, parent, startedAt, endedAt, ending, recording }: RecordedSpan): SpanJSON {
    const code = toStatusCode(ending)
    return {
      data: {
        'sentry.origin': ORIGIN,
        'sentry.op': info.op,
        ...clean(info.attributes),
        ...(code !== undefined && { 'http.response.status_code': code })
      },
      description: clean(info.name),
      op: info.op,
      parent_span_id: parent?.id,
      span_id: id,
      start_timestamp: startedAt,
      status: toStatus(ending.error, code),
      timestamp: endedAt,
      trace_id: recording.context.trace!.traceId,
      origin: ORIGIN
    }
  }

  return {
    add,
    send: (recording) => finish(recording, isForSdk()),
    countOmitted: (spans) => client.recordDroppedEvent('buffer_overflow', 'span', spans)
  }
}

function toStatus(error: unknown, code: number | undefined): string {
  if (code !== undefined) return sentry().getSpanStatusFromHttpCode(code).message ?? 'ok'
  return error === undefined ? 'ok' : 'internal_error'
}

/** Whether the scopes outside of requests are empty. The scopes of each request inherit from them. */
const isUntouched = (): boolean =>
  isEmpty(sentry().getGlobalScope()) &&
  isEmpty(sentry().getDefaultIsolationScope()) &&
  isEmpty(sentry().getDefaultCurrentScope())

function isEmpty(scope: Pick<Scope, 'getScopeData'>): boolean {
  const { breadcrumbs, attachments, fingerprint, eventProcessors, level, ...named } = scope.getScopeData()
  const { contexts, tags, extra, user, sdkProcessingMetadata } = named
  return (
    [breadcrumbs, attachments, fingerprint, eventProcessors].every(({ length }) => length === 0) &&
    [contexts, tags, extra, user, sdkProcessingMetadata].every(hasNothing) &&
    level === undefined
  )
}

function hasNothing(values: object): boolean {
  // A removed user has names without values.
  for (const key in values) if (values[key as keyof typeof values] !== undefined) return false
  return true
}
