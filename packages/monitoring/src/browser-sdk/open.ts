import { getCurrentScope } from '@sentry/browser'
import type { BrowserShell } from '@hull/common/browser-shell.ts'
import type { BrowserMonitoring } from './options.ts'
import { createClient } from './client.ts'
import { takeErrors } from './errors.ts'
import { placeInteractions } from './interactions.ts'
import { startPageLoad, traceNavigations } from './navigations.ts'
import { boundBaggage } from './propagation.ts'
import { watchShifts } from './shifts.ts'

/** Opens the SDK, in the order in which its parts need each other. To import this file is to load it. */
export function openMonitoring(settings: BrowserMonitoring, shell: BrowserShell): void {
  const client = createClient(settings)
  getCurrentScope().setClient(client)
  client.init()
  boundBaggage()
  watchShifts(client)
  placeInteractions(client)
  // Before the errors, which belong to the document's trace.
  startPageLoad(client, shell)
  takeErrors(client, shell)
  traceNavigations(client, shell)
}
