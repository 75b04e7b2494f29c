import {
  breadcrumbsIntegration,
  BrowserClient,
  browserSessionIntegration,
  browserTracingIntegration,
  dedupeIntegration,
  defaultStackParser,
  type Event,
  linkedErrorsIntegration,
  makeFetchTransport
} from '@sentry/browser'
import { getNativeImplementation } from '@sentry/browser-utils'
import type { Integration, Transport } from '@sentry/core'
import {
  CHILD_SPAN_TIMEOUT,
  FINAL_TIMEOUT,
  IDLE_TIMEOUT,
  MAX_STACK_FRAMES,
  TRANSPORT_QUEUE_SIZE
} from '@hull/common/constants.ts'
import { DATA_COLLECTION, scrubEvent } from '@hull/common/scrub-event.ts'
import type { BrowserMonitoring } from './options.ts'
import { SHOWN } from './errors.ts'
import { isNoise } from './noise.ts'
import { toTargets } from './propagation.ts'

/**
 * The SDK's client with the parts that we use: 6 KB less than its `init`, which brings all of them. What it would
 * instrument by itself, page loads, navigations and global errors, is told by the shell, which knows better.
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
    // Transactions: the stream of spans that is the default has no limit of spans.
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
      // One for each document: what crash-free rates are made of.
      browserSessionIntegration(),
      browserTracingIntegration({
        instrumentPageLoad: false,
        instrumentNavigation: false,
        instrumentBfcacheRestore: false,
        idleTimeout: IDLE_TIMEOUT,
        finalTimeout: FINAL_TIMEOUT,
        childSpanTimeout: CHILD_SPAN_TIMEOUT,
        // Measured until the page is left: see shifts.ts.
        webVitals: { ignore: ['cls'] },
        // For an hour, PREVIOUS_TRACE_MAX_AGE, which the SDK fixes.
        linkPreviousTrace: 'session-storage'
      })
    ],
    beforeSend: scrubEvent,
    beforeSendTransaction: scrubEvent
  })
  client.addEventProcessor((event) => (isNoise(event) ? null : describePage(event)))
  return client
}

/** Drops an event that is the same as the last, but for one whose digest a visitor may quote. */
function dedupeUnshown(): Integration {
  const { processEvent, ...rest } = dedupeIntegration() as Integration
  return {
    ...rest,
    processEvent: (event, ...args) =>
      event.exception?.values?.some(({ mechanism }) => mechanism?.type === SHOWN)
        ? event
        : processEvent!(event, ...args)
  }
}

/**
 * The SDK's transport, with two faults of it mended:
 * - It never reads an answer. Chromium takes an unread one with a body for unfinished where a proxy has added
 *   `no-store`, and its bytes count against the page's 64 KiB for `keepalive` for ever.
 * - It frees its own count of these bytes before the browser does, and loses what the browser then refuses.
 */
function createTransport(options: Parameters<typeof makeFetchTransport>[0]): Transport {
  const send = getNativeImplementation('fetch')
  return makeFetchTransport(options, async (url, init) => {
    const response = await send(url, init).catch((error: unknown) => {
      if (!init?.keepalive) throw error
      return send(url, { ...init, keepalive: false })
    })
    response.text().catch(() => {})
    return response
  })
}

/** What an event says of where it happened: the same as on the server, and no more. */
function describePage(event: Event): Event {
  const { origin, pathname, search } = location
  const { referrer } = document
  event.request = {
    url: origin + pathname + search,
    headers: { 'User-Agent': navigator.userAgent, ...(referrer && { Referer: referrer }) }
  }
  return event
}
