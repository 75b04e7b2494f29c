import type { BrowserShell } from '@hull/shell/client'
import { loadMonitoring } from '@hull/monitoring/client'

/** Runs in the browser before the document is hydrated. */
export default function startBrowser(shell: BrowserShell): void {
  loadMonitoring(shell)
}
