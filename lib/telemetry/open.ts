import { plainAddress } from '../http/network.ts'
import { getDefaultCurrentScope, getDefaultIsolationScope, type Client } from '@sentry/core'
import { createContext, currentContext, runInContext, type AsyncContext } from '../async-context.ts'
import { nameOfRoute } from '../tracing/route-name.ts'
import { findFailedSpan, type Recorder } from '../tracing/span.ts'
import { createClient } from './client.ts'
import { HeldSpan, Recording } from './recording.ts'
import { provideScopes, scopesOf } from './scopes.ts'
import { SdkSpan } from './spans.ts'
import { createSender } from './transaction.ts'
import type { ErrorReport, Telemetry, TelemetryOptions } from './telemetry.ts'

/**
 * Opens the SDK. To import this file is to load it: only where there is somewhere to send to.
 * @param late what has stood for it in traces, where requests were answered before it was there
 */
export function openTelemetry(options: TelemetryOptions, late?: Recorder): Telemetry {
  const { environment, release, sendPii = false, sendAddress = sendPii } = options
  const client = createClient(options)
  const publicKey = client.getDsn()?.publicKey
  const disclosure = { sendPii, sendAddress }
  const sender = createSender(client, disclosure)

  const telemetry: Telemetry = {
    facts: { environment, release, ...(publicKey === undefined ? {} : { public_key: publicKey }) },
    isReady: true,
    open(info) {
      const outer = currentContext()?.span
      return outer instanceof HeldSpan && outer.recording.isOpen ? outer.recording.open(info, outer) : new SdkSpan(info)
    },
    enter: (context, info) => (context.span = new Recording(context, info, sender).root),
    captureError: (report) => captureError(client, report),
    flush: async (timeout) => client.flush(timeout),
    async close(timeout) {
      const done = await client.close(timeout)
      const scope = getDefaultCurrentScope()
      if (scope.getClient() === client) scope.setClient(undefined)
      return done
    }
  }
  provideScopes(late ?? telemetry, { client, ...disclosure })
  // A visitor of whom the SDK was told before it knew requests apart would be the visitor of all that come.
  if (late) getDefaultIsolationScope().setUser(null).clearBreadcrumbs()
  // For what the team reports by itself, outside of requests.
  getDefaultCurrentScope().setClient(client)
  return telemetry
}

/** In the context of its request, wherever it comes to light: a stream tells of its errors in none. */
function captureError(client: Client, { error, digest, request, address, fatal = false }: ErrorReport): void {
  const context = request?.trace?.context ?? currentContext()
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
        mechanism: { type: 'hull', handled: false },
        // The SDK's scopes would add it; its causes are found by it.
        originalException: error,
        captureContext: {
          tags: { digest },
          level: fatal ? 'fatal' : 'error',
          ...(address !== undefined && { user: { ip_address: plainAddress(address) } }),
          // Of this one the SDK knows no more than of one in another process.
          ...(span instanceof HeldSpan && span.recording.isSent && { contexts: { trace: toTraceContext(span) } })
        }
      },
      scopes?.scope
    )
  })
}

/** Names the span in which it was thrown, which is over by now. */
function toFailedContext(context: AsyncContext, error: unknown): AsyncContext {
  const span = findFailedSpan(error)
  return span === undefined ? context : createContext({ span }, context)
}

const toTraceContext = ({ id, parent, recording: { context } }: HeldSpan) => ({
  trace_id: context.trace!.traceId,
  span_id: id,
  parent_span_id: parent?.id ?? context.trace!.parentSpanId
})
