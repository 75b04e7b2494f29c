// @ts-nocheck one client for five versions of one API
import * as sdk from '@sentry/browser'

/*
 * Sends one item of every type that its SDK version knows, from a page of another origin. Bundled by capture.ts in a
 * folder in which that version is installed.
 */

// A copy of the namespace, because importing an export that one version lacks would be an error.
const Sentry = { ...sdk }

Sentry.init({
  dsn: document.documentElement.dataset.dsn,
  release: 'shop@1.4.2',
  environment: 'staging',
  tracesSampleRate: 1,
  enableLogs: true,
  _experiments: { enableLogs: true },
  integrations: [Sentry.browserTracingIntegration ? Sentry.browserTracingIntegration() : new Sentry.BrowserTracing()]
})

Sentry.setUser({ id: '42' })
Sentry.setTag('colour', 'red')

function addToCart(item) {
  throw new TypeError(`${item} is no item`)
}

document.querySelector('button').addEventListener('click', () => {
  addToCart('undefined')
})
document.querySelector('button').click()
const eventId = Sentry.captureException(new Error('caught'))
Sentry.captureMessage('the cart is empty', 'info')
Sentry.withScope((scope) => {
  scope.addAttachment({ filename: 'cart.txt', data: 'three apples', contentType: 'text/plain' })
  Sentry.captureException(new Error('with an attachment'))
})
if (Sentry.captureFeedback)
  Sentry.captureFeedback({ message: 'it broke', name: 'Ada', email: 'ada@shop.example', associatedEventId: eventId })
else Sentry.captureUserFeedback?.({ event_id: eventId, name: 'Ada', email: 'ada@shop.example', comments: 'it broke' })
Sentry.logger?.warn?.('the cart is empty', { left: 3 })

// The span of the page load ends a second after its last child.
setTimeout(async () => {
  await Sentry.flush(5_000)
  document.title = 'sent'
}, 2_500)
