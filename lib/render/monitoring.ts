import { MAX_STACK_FRAMES } from '../common/constants.ts'
import { ERROR_QUEUE, ERROR_QUEUE_SIZE, MONITORING_ID, type BrowserMonitoring } from '../common/monitoring.ts'
import { escapeScript } from './payload.ts'

/**
 * Keeps the errors that happen before anything is there to report them. An inline script, and always the same: the
 * content security policy allows it by its hash, so that no document needs a nonce for it.
 */
export const EARLY_ERRORS =
  `Error.stackTraceLimit=${MAX_STACK_FRAMES};self.${ERROR_QUEUE}=[];for(let type of["error","unhandledrejection"])addEventListener(type,e=>{` +
  `let q=self.${ERROR_QUEUE};q.length<${ERROR_QUEUE_SIZE}?q.push(e):q.lost=-~q.lost})`

/** What a document with script carries where its browser is to report errors and spans. */
export interface MonitoringTags {
  /** First in the head: behind a stylesheet it would wait for that, and the page with it. */
  early: string
  /** Settings: JSON, and so no script. */
  settings: string
}

export function renderMonitoring(monitoring: BrowserMonitoring): MonitoringTags {
  return {
    early: `<script>${EARLY_ERRORS}</script>`,
    settings: `<script type="application/json" id="${MONITORING_ID}">${escapeScript(JSON.stringify(monitoring))}</script>`
  }
}
