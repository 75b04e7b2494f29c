import { ERROR_QUEUE, ERROR_QUEUE_SIZE, MONITORING_ID, type BrowserMonitoring, type ErrorQueue } from './options.ts'
import type { BrowserShell, ShellError } from '@hull/common/browser-shell.ts'

/** Milliseconds after which it is loaded even where the browser is never idle. A guess. */
const MAX_WAIT = 3_000

/** Errors of this document that are not reported yet; undefined in a document without the early script. */
const errorQueue = () => (self as unknown as Record<string, ErrorQueue | undefined>)[ERROR_QUEUE]

/** @returns whether there was room for it */
function queueError(error: ShellError): boolean {
  const queue = errorQueue()
  if (!queue) return false
  if (queue.length < ERROR_QUEUE_SIZE) {
    queue.push(error)
    return true
  }
  queue.lost = (queue.lost ?? 0) + 1
  return false
}

/**
 * Loads what reports errors and spans, where the document asks for it: after everything else, so that the first paint
 * costs nothing more. Errors wait until then.
 */
export function loadMonitoring(shell: BrowserShell): void {
  const source = document.getElementById(MONITORING_ID)?.textContent
  if (!source) return
  const settings = JSON.parse(source) as BrowserMonitoring
  const { unwatched } = settings
  shell.subscribe({
    error: queueError,
    allowsInPlace: ({ pathname }) => unwatched === undefined || !`${pathname}/`.startsWith(`${unwatched}/`)
  })
  if (document.readyState === 'complete') whenIdle()
  else addEventListener('load', whenIdle, { once: true })

  function whenIdle() {
    // Safari has none.
    if ('requestIdleCallback' in self) requestIdleCallback(open, { timeout: MAX_WAIT })
    else setTimeout(open)
  }

  function open() {
    import('./open.ts').then(
      ({ openMonitoring }) => {
        openMonitoring(settings, shell)
      },
      // Blocked, offline, or gone after a deploy: nothing is reported, and no digest shown that would find nothing.
      () => {
        Object.assign(self, { [ERROR_QUEUE]: { length: ERROR_QUEUE_SIZE, push() {} } })
      }
    )
  }
}
