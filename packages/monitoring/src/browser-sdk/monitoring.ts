import { ERROR_QUEUE, ERROR_QUEUE_SIZE, MONITORING_ID, type BrowserMonitoring, type ErrorQueue } from './options.ts'
import type { BrowserShell, ShellError } from '@hull/common/browser-shell.ts'

/** Milliseconds after which the SDK is loaded even if the browser is never idle. A guess. */
const MAX_WAIT = 3_000

/**
 * Milliseconds after which the SDK is loaded even if the page is not: a picture of another site may hang for minutes. A
 * guess.
 */
const MAX_LOAD = 10_000

/** Errors of this document that are not reported yet; undefined in a document without the early script. */
const errorQueue = () => (self as unknown as Record<string, ErrorQueue | undefined>)[ERROR_QUEUE]

/** @returns whether the error was added */
function queueError(error: ShellError): boolean {
  const queue = errorQueue()
  if (!queue) return false
  if (queue.length < ERROR_QUEUE_SIZE) {
    queue.push({ ...error, timeStamp: performance.now(), page: location.href })
    return true
  }
  queue.lost = (queue.lost ?? 0) + 1
  return false
}

/**
 * Loads the SDK if the document has settings for it. The SDK is loaded last, so that it does not delay the first paint;
 * errors wait until then, or for {@link MAX_LOAD}. A document that the browser prerenders loads it when a visitor opens
 * the page: until then it is no visit, and has no web vitals.
 */
export function loadMonitoring(shell: BrowserShell): void {
  // Not by the id alone: an element of the page may have the same.
  const source = document.querySelector(`script#${MONITORING_ID}`)?.textContent
  if (!source) return
  const settings = JSON.parse(source) as BrowserMonitoring
  const { unwatched } = settings
  shell.subscribe({
    error: queueError,
    allowsInPlace: ({ pathname }) => unwatched === undefined || !`${pathname}/`.startsWith(`${unwatched}/`)
  })
  let isLoaded = false
  if ('prerendering' in document && document.prerendering)
    document.addEventListener('prerenderingchange', whenLoaded, { once: true })
  else whenLoaded()

  function whenLoaded() {
    if (document.readyState === 'complete') return whenIdle()
    addEventListener('load', whenIdle)
    setTimeout(whenIdle, MAX_LOAD)
  }

  function whenIdle() {
    if (isLoaded) return
    isLoaded = true
    // Safari has no requestIdleCallback.
    if ('requestIdleCallback' in self) requestIdleCallback(open, { timeout: MAX_WAIT })
    else setTimeout(open)
  }

  function open() {
    import('./open.ts').then(
      ({ openMonitoring }) => openMonitoring(settings, shell),
      // Blocked, offline, or removed by a deployment: nothing is reported, and no digest is shown, because there would
      // be no event for it.
      () => {
        Object.assign(self, { [ERROR_QUEUE]: { length: ERROR_QUEUE_SIZE, push() {} } })
      }
    )
  }
}
