import { startInactiveSpan, type BrowserClient, type Span } from '@sentry/browser'
import { addClsInstrumentationHandler } from '@sentry/browser-utils'

/**
 * Reports the layout shift (CLS) of the page that was loaded whenever the page is hidden and it has grown, and when the
 * visitor navigates to another page. The SDK itself measures it up to the end of the page load's transaction, so that
 * shifts after it are lost.
 */
export function watchShifts(client: BrowserClient): void {
  let load: Span | undefined
  let value = 0
  let reported = 0
  const stop = addClsInstrumentationHandler(({ metric }) => (value = metric.value))
  client.on('afterStartPageLoadSpan', (span) => {
    // A navigation that continues a prefetched trace starts as a page load as well.
    if (load) leave()
    else load = span
  })
  client.on('beforeStartNavigationSpan', leave)
  // After web-vitals, which reads the last shifts in the capture phase.
  addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') report()
  })

  function leave() {
    report()
    stop()
    load = undefined
  }

  function report() {
    if (!load || value <= reported) return
    reported = value
    startInactiveSpan({
      name: 'Cumulative Layout Shift',
      op: 'ui.webvital.cls',
      attributes: { 'sentry.origin': 'auto.ui.browser.cls', 'browser.web_vital.cls.value': value },
      parentSpan: load,
      // Sent by itself, as INP is: the transaction that it belongs to has ended.
      experimental: { standalone: true }
    }).end()
  }
}
