import type { Client, Scope } from '@sentry/core'
import {
  contextStorage,
  createContext,
  currentContext,
  runInContext,
  type TraceContext,
  type Scopes
} from '../tracing/context.ts'
import { createTraceId } from '../tracing/ids.ts'
import { RecordedSpan } from './recording.ts'
import { describeRequest, type RequestDisclosure } from './request-data.ts'
import { setStrategy } from './sentry-state.ts'
import { sentry } from './sentry.ts'
import { SdkSpan } from './spans.ts'

/** Creates scopes for the requests of one application. */
export interface ScopeSource extends RequestDisclosure {
  client: Client
}

/** By recorder, because a process may hold several applications. */
const sources = new WeakMap<object, ScopeSource>()

/** Sets the source of scopes for requests whose spans a recorder records. */
export const setScopeSource = (recorder: object, source: ScopeSource) => sources.set(recorder, source)

/**
 * Makes the SDK keep its scopes in our async context. Each is created on first use, so a request that does not use the
 * SDK has none.
 */
export function provideScopes(): void {
  setStrategy({
    getCurrentScope: () => currentScopes().scope,
    getIsolationScope: () => currentScopes().isolationScope,
    withScope: (callback) => {
      const { scope, isolationScope } = currentScopes()
      return enter({ scope: scope.clone(), isolationScope }, callback, 'scope')
    },
    withSetScope: (scope, callback) =>
      enter({ scope: scope as Scope, isolationScope: currentScopes().isolationScope }, callback, 'scope'),
    withIsolationScope: (callback) => {
      const scope = currentScopes().scope.clone()
      // A request has its trace. Outside of requests, all jobs of the process would share the trace of the default
      // scope.
      if (!currentContext()?.trace && !sentry().isContinuingTrace(scope.getPropagationContext()))
        scope.setPropagationContext({ traceId: createTraceId(), sampleRand: Math.random() })
      return enter({ scope, isolationScope: currentScopes().isolationScope.clone() }, callback, 'isolationScope')
    },
    withSetIsolationScope: (isolationScope, callback) =>
      enter(
        { scope: currentScopes().scope.clone(), isolationScope: isolationScope as Scope },
        callback,
        'isolationScope'
      ),
    getTracingChannelBinding: () => ({ asyncLocalStorage: contextStorage })
  })
}

function enter<T>(scopes: Scopes, callback: (scope: Scope) => T, argument: keyof Scopes): T {
  return runInContext(createContext({ scopes }), () => callback(scopes[argument]))
}

function currentScopes(): Scopes {
  const context = currentContext()
  const scopes = context && scopesOf(context)
  return (
    scopes ?? {
      scope: sentry().getDefaultCurrentScope() as Scope,
      isolationScope: sentry().getDefaultIsolationScope() as Scope
    }
  )
}

/** Scopes of a context; undefined outside of requests. */
export function scopesOf(context: TraceContext): Scopes | undefined {
  const recorder = context.trace?.recorder
  const source = recorder && sources.get(recorder)
  if (!source || context.scopes) return context.scopes
  // This creates the scopes of the request's own context.
  if (context.span instanceof RecordedSpan) context.span.recording.flushForSdk()
  return (context.scopes ??=
    context.outer?.trace === context.trace ? deriveScopes(context) : createScopes(context, source))
}

/** Derives scopes within a request, so that values set in the outer context also apply in the inner one. */
function deriveScopes({ outer, span }: TraceContext): Scopes {
  const { scope: base, isolationScope } = scopesOf(outer!)!
  if (span === outer!.span) return { scope: base, isolationScope }
  const scope = base.clone()
  setSpan(scope, span)
  return { scope, isolationScope }
}

function createScopes({ trace, span }: TraceContext, source: ScopeSource): Scopes {
  const { traceId, spanId, parentSpanId, sampled, sampleRand, facts, request } = trace!
  const scope = (sentry().getDefaultCurrentScope() as Scope).clone()
  scope.setClient(source.client)
  scope.setPropagationContext({ traceId, parentSpanId, propagationSpanId: spanId, sampled, sampleRand, dsc: facts })
  setSpan(scope, span)
  const isolationScope = (sentry().getDefaultIsolationScope() as Scope).clone()
  if (request) isolationScope.addEventProcessor((event) => describeRequest(event, request, source))
  return { scope, isolationScope }
}

/**
 * Sets the span of a scope. Of a span that was already sent, the SDK gets only the id, as for a span in another
 * process.
 */
function setSpan(scope: Scope, span: TraceContext['span']): void {
  if (span instanceof RecordedSpan && span.recording.isSent)
    scope.setPropagationContext({
      ...scope.getPropagationContext(),
      parentSpanId: span.id,
      propagationSpanId: undefined
    })
  sentry()._INTERNAL_setSpanForScope(
    scope,
    span instanceof RecordedSpan || span instanceof SdkSpan ? span.sdk : undefined
  )
}
