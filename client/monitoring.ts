import { ERROR_QUEUE, ERROR_QUEUE_SIZE, MONITORING_ID, type BrowserMonitoring } from '../lib/common/monitoring.ts'
import { watch } from './shell/watch.ts'

/** Milliseconds after which it is loaded even where the browser is never idle. A guess. */
const MAX_WAIT = 3_000

/**
 * Loads what reports errors and spans, where the document asks for it: after everything else, so that the first paint
 * costs nothing more. Errors wait until then.
 */
export function loadMonitoring(): void {
  const source = document.getElementById(MONITORING_ID)?.textContent
  if (!source) return
  const settings = JSON.parse(source) as BrowserMonitoring
  const { unwatched } = settings
  if (unwatched !== undefined) watch({ covers: ({ pathname }) => !`${pathname}/`.startsWith(`${unwatched}/`) })
  if (document.readyState === 'complete') whenIdle()
  else addEventListener('load', whenIdle, { once: true })

  function whenIdle() {
    // Safari has none.
    if ('requestIdleCallback' in self) requestIdleCallback(open, { timeout: MAX_WAIT })
    else setTimeout(open)
  }

  function open() {
    import('./monitoring/open.ts').then(
      ({ openMonitoring }) => {
        openMonitoring(settings)
      },
      // Blocked, offline, or gone after a deploy: nothing is reported, and no digest shown that would find nothing.
      () => {
        Object.assign(self, { [ERROR_QUEUE]: { length: ERROR_QUEUE_SIZE, push() {} } })
      }
    )
  }
}
