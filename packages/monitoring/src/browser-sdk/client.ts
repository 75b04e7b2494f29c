import {
  breadcrumbsIntegration,
  BrowserClient,
  browserSessionIntegration,
  dedupeIntegration,
  defaultStackParser,
  getIsolationScope,
  linkedErrorsIntegration,
  makeFetchTransport
} from '@sentry/browser'
import { getNativeImplementation } from '@sentry/browser-utils'
import type { Event, Integration, Transport } from '@sentry/core'
import { MAX_STACK_FRAMES, TRANSPORT_QUEUE_SIZE } from '@hull/common/constants.ts'
import { DATA_COLLECTION, scrubAttributes, scrubEnvelope, scrubEvent } from '@hull/common/scrub-event.ts'
import type { BrowserMonitoring } from './options.ts'
import { SHOWN } from './errors.ts'
import { isNoise } from './noise.ts'
import { describePage } from './page.ts'
import { toTargets } from './propagation.ts'

/**
 * Creates the SDK's client with the parts that we use, which is 6 KB less than `init` with all parts. The shell reports
 * page loads, navigations and global errors, because the SDK's own instrumentation has less information.
 * @see docs/decisions/019-browser-sdk.md
 */
export function createClient(settings: BrowserMonitoring): BrowserClient {
  const { dsn, tunnel, release, environment, sampleRate, targets } = settings
  Error.stackTraceLimit = MAX_STACK_FRAMES
  const client = new BrowserClient({
    dsn,
    tunnel,
    release,
    environment,
    // Transactions instead of the default, a stream of spans, which has no limit of spans.
    traceLifecycle: 'static',
    tracesSampleRate: sampleRate,
    tracePropagationTargets: toTargets(targets),
    propagateTraceparent: true,
    dataCollection: DATA_COLLECTION,
    stackParser: defaultStackParser,
    transport: createTransport,
    transportOptions: { bufferSize: TRANSPORT_QUEUE_SIZE },
    integrations: [
      linkedErrorsIntegration(),
      dedupeUnshown(),
      breadcrumbsIntegration(),
      // One session per document; crash-free rates are calculated from sessions.
      browserSessionIntegration()
    ],
    beforeSend: scrubEvent,
    beforeSendTransaction: scrubEvent,
    beforeSendLog: scrubAttributes,
    beforeSendMetric: scrubAttributes
  })
  client.on('beforeEnvelope', scrubEnvelope)
  // The SDK identifies a user without an id by the mail address or the name.
  client.on('beforeSendSession', (session) => {
    if ('sid' in session) Object.assign(session, { did: getIsolationScope().getUser()?.id, ipAddress: undefined })
  })
  client.addEventProcessor((event) => (isNoise(event) && !isShown(event) ? null : describePage(event)))
  return client
}

/** Whether a visitor may quote the digest of an error. */
const isShown = ({ exception }: Event): boolean =>
  exception?.values?.some(({ mechanism }) => mechanism?.type === SHOWN) === true

/** Drops an event that equals the last one, unless it is shown. */
function dedupeUnshown(): Integration {
  const { processEvent, ...rest } = dedupeIntegration() as Integration
  return {
    ...rest,
    processEvent: (event, ...args) => (isShown(event) ? event : processEvent!(event, ...args))
  }
}

/** Milliseconds after an error in which a page that is being left notices it. A guess; Chromium needs a few. */
const REFUSAL_DELAY = 100

/**
 * Creates the SDK's transport and works around two faults:
 * - It never reads an answer. If a proxy has added `no-store`, Chromium treats an unread answer with a body as
 * unfinished, and counts the request's bytes against the page's 64 KiB for `keepalive` without end.
 * - It reduces its own count of these bytes before the browser does, and loses requests that the browser then refuses.
 */
function createTransport(options: Parameters<typeof makeFetchTransport>[0]): Transport {
  const send = getNativeImplementation('fetch')
  let departures = 0
  let isLeft = false
  for (const type of ['pagehide', 'pageshow'])
    addEventListener(type, () => {
      isLeft = type === 'pagehide'
      if (isLeft) departures++
    })
  return makeFetchTransport(options, async (url, init) => {
    const response = await send(url, init).catch(async (error: unknown) => {
      if (!init?.keepalive) throw error
      // A page that is about to be left sees an error as well, although the browser completes the request.
      const before = departures
      if (!isLeft) await new Promise((resolve) => setTimeout(resolve, REFUSAL_DELAY))
      if (departures !== before) throw error
      return send(url, { ...init, keepalive: false })
    })
    response.text().catch(() => {})
    return response
  })
}
