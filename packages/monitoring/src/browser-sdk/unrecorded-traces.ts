import { getCurrentScope, withScope, type BrowserClient } from '@sentry/browser'
import { generateSpanId, generateTraceId, type PropagationContext } from '@sentry/core'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import { sendTrace } from './propagation.ts'

/**
 * Passes on the traces of a document that is not recorded: requests have their headers, and errors their ids. Each
 * navigation and each prefetch begins a trace, as in a recorded document; these are not recorded either.
 * @param trace the document's. @default a new one
 */
export function passTraces(client: BrowserClient, { routeName, subscribe }: BrowserShell, trace?: PropagationContext) {
  /** Traces of prefetches, by answer. */
  const traces = new WeakMap<Promise<unknown>, PropagationContext>()

  const createTrace = (): PropagationContext => {
    countUnrecorded()
    return { traceId: generateTraceId(), propagationSpanId: generateSpanId(), sampled: false, sampleRand: 1 }
  }
  const show = (shown: PropagationContext, name: string) =>
    getCurrentScope().setPropagationContext(shown).setTransactionName(name)
  const nameScope = () => getCurrentScope().setTransactionName(routeName(location.pathname))

  sendTrace(client)
  show({ ...createTrace(), ...trace }, routeName(location.pathname))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) show(createTrace(), routeName(location.pathname))
  })
  subscribe({
    navigation({ routeName: name, prefetched }) {
      show((prefetched && traces.get(prefetched)) ?? createTrace(), name)
      return nameScope
    },
    prefetch(_name, request) {
      const own = createTrace()
      let answer!: ReturnType<typeof request>
      // Only for the call: with a promise as its result, the scope would stay until the promise settles.
      withScope((scope) => {
        scope.setPropagationContext(own)
        answer = request()
      })
      traces.set(answer, own)
      return answer
    }
  })

  /** Counts what the SDK counts for a transaction that is not sampled. */
  function countUnrecorded() {
    for (const category of ['transaction', 'span'] as const) client.recordDroppedEvent('sample_rate', category)
  }
}
