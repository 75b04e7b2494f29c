// Loaded if the trace of the document is recorded, or if the server has not decided.
import { browserTracingIntegration, type BrowserClient } from '@sentry/browser'
import type { PropagationContext } from '@sentry/core'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import { CHILD_SPAN_TIMEOUT, FINAL_TIMEOUT, IDLE_TIMEOUT } from '@hull/common/constants.ts'
import { placeInteractions } from './interactions.ts'
import { startPageLoad, traceNavigations } from './navigations.ts'
import { watchShifts } from './shifts.ts'

/**
 * Records the page load, navigations, prefetches and web vitals. The shell reports page loads and navigations, because
 * the SDK's own instrumentation has less information.
 * @param trace the document's, if the server has given it one
 */
export function recordTraces(client: BrowserClient, shell: BrowserShell, trace?: PropagationContext): void {
  client.addIntegration(
    browserTracingIntegration({
      instrumentPageLoad: false,
      instrumentNavigation: false,
      instrumentBfcacheRestore: false,
      idleTimeout: IDLE_TIMEOUT,
      finalTimeout: FINAL_TIMEOUT,
      childSpanTimeout: CHILD_SPAN_TIMEOUT,
      // Measured until the visitor leaves the page, in shifts.ts.
      webVitals: { ignore: ['cls'] },
      // For an hour, the SDK's fixed PREVIOUS_TRACE_MAX_AGE.
      linkPreviousTrace: 'session-storage',
      // Navigations are recorded if their document is. Without a decision of the server, the SDK would repeat that of
      // the last recorded document.
      consistentTraceSampling: trace !== undefined
    })
  )
  watchShifts(client)
  placeInteractions(client)
  startPageLoad(client, shell)
  traceNavigations(client, shell)
}
