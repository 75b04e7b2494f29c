import { getCurrentScope } from '@sentry/browser'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import type { BrowserMonitoring } from './options.ts'
import { createClient } from './client.ts'
import { readDocumentTrace } from './document-trace.ts'
import { captureErrors } from './errors.ts'
import { boundBaggage } from './propagation.ts'
import { passTraces } from './unrecorded-traces.ts'

/**
 * Opens the SDK's parts in the order of their dependencies. Importing this file loads the SDK without the part that
 * records traces, which most documents do not need.
 */
export async function openMonitoring(settings: BrowserMonitoring, shell: BrowserShell): Promise<void> {
  const trace = readDocumentTrace()
  const recorder = trace?.sampled === false ? undefined : await loadRecorder()
  const client = createClient(settings)
  getCurrentScope().setClient(client)
  client.init()
  // Before errors are captured, because they belong to the document's trace.
  if (recorder) recorder.recordTraces(client, shell, trace)
  else passTraces(client, shell, trace)
  boundBaggage()
  captureErrors(client, shell)
}

/** Returns undefined if a blocker or a deployment has removed the file: errors are reported nevertheless. */
const loadRecorder = () => import('./recorded-traces.ts').catch(() => undefined)
