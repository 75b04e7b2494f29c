import type { BrowserShell } from '#shell'
import { loadMonitoring } from './monitoring.ts'

/** Runs in the browser before the document is hydrated. */
export default function startBrowser(shell: BrowserShell): void {
  loadMonitoring(shell)
}
