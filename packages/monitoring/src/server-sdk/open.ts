import type { Client } from '@sentry/core'
import { createContext, currentContext, runInContext, type TraceContext } from '../tracing/context.ts'
import { TelemetrySecondInit } from '../errors.ts'
import { formatBaggage, parseBaggage } from '../tracing/baggage.ts'
import { removeCapturedMark } from '@hull/common/captured-mark.ts'
import { nameOfRoute } from '@hull/common/route-name.ts'
import { takeFailedSpan, type Recorder, type SpanInfo } from '../tracing/span.ts'
import { createClient } from './client.ts'
import { RecordedSpan, Recording } from './recording.ts'
import { provideScopes, scopesOf, setScopeSource } from './scopes.ts'
import { onOtherInit } from './sentry-state.ts'
import { loadSentry, sentry } from './sentry.ts'
import { SdkSpan } from './spans.ts'
import { createSender } from './transaction.ts'
import { toTraceFacts, type ErrorReport, type Telemetry, type TelemetryOptions } from './telemetry.ts'

/**
 * Loads the SDK and opens telemetry. Call it only if there is a target to send to.
 * @param late recorder that represents this telemetry in traces from before the SDK was loaded
 */
export function openTelemetry(options: TelemetryOptions, late?: Recorder): Telemetry {
  const { sendPii = false, sendAddress = sendPii, dist, warn } = options
  loadSentry(dist)
  provideScopes()
  const client = createClient(options)
  const disclosure = { sendPii, sendAddress }
  const sender = createSender(client, disclosure)

  const telemetry: Telemetry = {
    facts: toTraceFacts(options),
    isReady: true,
    get drops() {
      return client.drops
    },
    get unsent() {
      return client.countUnsent()
    },
    open(info) {
      const outer = currentContext()?.span
      return outer instanceof RecordedSpan && outer.recording.isOpen
        ? outer.recording.open(info, outer)
        : new SdkSpan(info)
    },
    enter: (context, info) => (context.span = new Recording(context, info, sender).root),
    openOutside: (info, baggage) => (sentry().getClient() === client ? openOutside(info, baggage) : undefined),
    captureError: (report) => captureError(client, report),
    flush: async (timeout) => client.flush(timeout),
    async close(timeout) {
      stopListening()
      const done = await client.close(timeout)
      const scope = sentry().getDefaultCurrentScope()
      if (scope.getClient() === client) scope.setClient(undefined)
      return done
    }
  }
  setScopeSource(late ?? telemetry, { client, ...disclosure })
  const stopListening = onOtherInit(function keepClient() {
    replaceClient(client)
    warn?.(new TelemetrySecondInit())
  })
  replaceClient(client)
  return telemetry
}

/** Sends reports from outside of requests to `client`. Disables a client that was set before. */
function replaceClient(client: Client): void {
  for (const scope of [sentry().getDefaultCurrentScope(), sentry().getCurrentScope()]) {
    const other = scope.getClient()
    if (other && !(other instanceof client.constructor)) other.getOptions().enabled = false
    scope.setClient(client)
  }
}

/** Opens a span below one that the application has opened outside of requests, such as a job's. */
function openOutside(info: SpanInfo, baggage: string | undefined): ReturnType<Telemetry['openOutside']> {
  if (!sentry().getActiveSpan()) return undefined
  const span = new SdkSpan(info)
  const headers = sentry().getTraceData({ span: span.sdk, propagateTraceparent: true })
  const { facts } = parseBaggage(headers.baggage ?? '')
  const merged = formatBaggage(facts, baggage === undefined ? [] : parseBaggage(baggage).foreign)
  return { span, headers: { ...headers, ...(merged !== '' && { baggage: merged }) } }
}

/**
 * Captures an error in the context of its request, wherever it is caught, because a stream emits errors without a
 * context.
 */
function captureError(client: Client, { error, digest, request, fatal = false, handled = false }: ErrorReport): void {
  const context = request?.trace?.context ?? currentContext()
  removeCapturedMark(error)
  runInContext(context && toFailedContext(context, error), () => {
    const inner = currentContext()
    const scopes = inner && scopesOf(inner)
    const span = inner?.span
    const source = request ?? inner?.trace?.request
    const name = source && nameOfRoute(source)
    if (name !== undefined) scopes?.isolationScope.setTransactionName(name)
    client.captureException(
      error,
      {
        mechanism: { type: 'hull', handled },
        // The SDK's scopes would add this; the SDK needs it to find the error's causes.
        originalException: error,
        captureContext: {
          tags: { digest },
          level: fatal ? 'fatal' : 'error',
          // The span was already sent, so the SDK gets only its ids, as for a span in another process.
          ...(span instanceof RecordedSpan && span.recording.isSent && { contexts: { trace: toTraceContext(span) } })
        }
      },
      scopes?.scope
    )
  })
}

/** Returns a context with the span in which the error was thrown, although that span has ended. */
function toFailedContext(context: TraceContext, error: unknown): TraceContext {
  const span = takeFailedSpan(error)
  return span === undefined ? context : createContext({ span }, context)
}

const toTraceContext = ({ id, parent, recording: { context } }: RecordedSpan) => ({
  trace_id: context.trace!.traceId,
  span_id: id,
  parent_span_id: parent?.id ?? context.trace!.parentSpanId
})
