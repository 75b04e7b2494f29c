import type { BrowserClient, Span } from '@sentry/browser'
import { timestampInSeconds } from '@sentry/core'

/** Maximum pages of a document to remember. Our choice. */
const MAX_SHOWN = 100

/** A page and the time at which it was shown. */
interface ShownPage {
  /** Seconds since the epoch. */
  since: number
  name: string
  traceId: string
}

const shown: ShownPage[] = []

/**
 * Records that a page is shown from now on.
 * @param root span of its load or navigation
 */
export function noteShown(name: string, root: Span | undefined): void {
  if (!root) return
  shown.push({ since: timestampInSeconds(), name, traceId: root.spanContext().traceId })
  if (shown.length > MAX_SHOWN) shown.shift()
}

/**
 * Assigns the slowest interaction (INP) to the page on which it began. The SDK reports the interaction when the
 * document is hidden, under the page that is shown then.
 */
export function placeInteractions(client: BrowserClient): void {
  client.on('processSpan', (span) => {
    const { attributes } = span
    if (!attributes || !String(attributes['sentry.op']).startsWith('ui.interaction.')) return
    const page = shown.findLast(({ since }) => since <= span.start_timestamp) ?? shown[0]
    if (!page) return
    attributes['sentry.segment.name'] = page.name
    attributes['sentry.transaction'] = page.name
    if (span.trace_id === page.traceId) return
    span.trace_id = page.traceId
    delete span.parent_span_id
    span.is_segment = true
  })
}
