import { getCurrentScope } from '@sentry/browser'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import type { BrowserMonitoring } from './options.ts'
import { createClient } from './client.ts'
import { captureErrors } from './errors.ts'
import { placeInteractions } from './interactions.ts'
import { startPageLoad, traceNavigations } from './navigations.ts'
import { boundBaggage } from './propagation.ts'
import { watchShifts } from './shifts.ts'

/** Opens the SDK's parts in the order of their dependencies. Importing this file loads the SDK. */
export function openMonitoring(settings: BrowserMonitoring, shell: BrowserShell): void {
  const client = createClient(settings)
  getCurrentScope().setClient(client)
  client.init()
  boundBaggage()
  watchShifts(client)
  placeInteractions(client)
  // Before errors are captured, because they belong to the document's trace.
  startPageLoad(client, shell)
  captureErrors(client, shell)
  traceNavigations(client, shell)
}
