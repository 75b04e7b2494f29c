// @ts-nocheck one client for five versions of one API
import * as sdk from '@sentry/node'

/*
 * Sends one item of every type that its SDK version knows, like a service. Run by capture.ts in a folder in which that
 * version is installed.
 */

// A copy of the namespace, because importing an export that one version lacks would be an error.
const Sentry = { ...sdk }

Sentry.init({
  dsn: process.env.DSN,
  release: 'shop@1.4.2',
  environment: 'staging',
  serverName: 'client',
  tracesSampleRate: 1,
  enableLogs: true,
  _experiments: { enableLogs: true }
})

Sentry.setUser({ id: '42' })
Sentry.setTag('colour', 'red')
Sentry.addBreadcrumb({ category: 'cart', message: 'put into the cart', level: 'info', data: { item: 7 } })

function readStock(item) {
  throw new TypeError(`no stock of ${item}`)
}
function sell(item) {
  try {
    readStock(item)
  } catch (cause) {
    throw new Error('cannot sell', { cause })
  }
}

let eventId
try {
  sell('apples')
} catch (error) {
  eventId = Sentry.captureException(error)
}
Sentry.captureMessage('stock is low', 'warning')
Sentry.withScope((scope) => {
  scope.addAttachment({ filename: 'order.txt', data: 'three apples', contentType: 'text/plain' })
  Sentry.captureException(new Error('with an attachment'))
})

if (Sentry.startTransaction) {
  const transaction = Sentry.startTransaction({ name: 'GET /items/:id', op: 'http.server' })
  transaction.startChild({ op: 'db', description: 'items by id' }).finish()
  transaction.finish()
} else {
  Sentry.startSpan({ name: 'GET /items/:id', op: 'http.server' }, () =>
    Sentry.startSpan({ name: 'items by id', op: 'db' }, () => {})
  )
}

if (Sentry.startSession) {
  Sentry.startSession()
  Sentry.captureSession()
  Sentry.endSession()
} else {
  const hub = Sentry.getCurrentHub()
  hub.startSession()
  hub.captureSession()
  hub.endSession()
}

const checkInId = Sentry.captureCheckIn(
  { monitorSlug: 'nightly', status: 'in_progress' },
  { schedule: { type: 'crontab', value: '0 3 * * *' } }
)
Sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok', checkInId, duration: 2 })

if (Sentry.captureFeedback)
  Sentry.captureFeedback({ message: 'it broke', name: 'Ada', email: 'ada@shop.example', associatedEventId: eventId })
else Sentry.captureUserFeedback?.({ event_id: eventId, name: 'Ada', email: 'ada@shop.example', comments: 'it broke' })

Sentry.logger?.warn?.('stock is low', { left: 3 })

await Sentry.flush(5_000)
await Sentry.close(5_000)
