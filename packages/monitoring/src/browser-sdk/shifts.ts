import { startInactiveSpan, type BrowserClient, type Span } from '@sentry/browser'
import { addClsInstrumentationHandler } from '@sentry/browser-utils'

/**
 * Reports the layout shift (CLS) of the loaded page whenever the page is hidden and the value has grown, and when the
 * visitor navigates to another page. The SDK itself measures only until the page load's transaction ends, so later
 * shifts would be lost.
 */
export function watchShifts(client: BrowserClient): void {
  let load: Span | undefined
  let value = 0
  let reported = 0
  const stop = addClsInstrumentationHandler(({ metric }) => (value = metric.value))
  client.on('afterStartPageLoadSpan', (span) => {
    // A navigation that continues a prefetched trace also starts as a page load.
    if (load) leave()
    else load = span
  })
  client.on('beforeStartNavigationSpan', leave)
  // Runs after web-vitals, which reads the last shifts in the capture phase.
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
      // Sent separately, as INP is, because its transaction has ended.
      experimental: { standalone: true }
    }).end()
  }
}
