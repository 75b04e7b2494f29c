import { propagationContextFromHeaders, type PropagationContext } from '@sentry/core'

/** The browser's timings of the document. Not every browser has all of them. */
type NavigationTiming = PerformanceNavigationTiming & {
  /** Milliseconds from the request of a prerendered document until a visitor opened it; otherwise 0. */
  activationStart?: number
  deliveryType?: string
}

export const navigationEntry = () => performance.getEntriesByType('navigation')[0] as NavigationTiming | undefined

/**
 * Whether the document was not requested, but stored: it is shown again, perhaps a day later, and its trace has ended.
 * False for one that a service worker returned, or that was prefetched.
 */
export function isStored(): boolean {
  const entry = navigationEntry()
  if (!entry || entry.workerStart > 0 || entry.deliveryType?.includes('prefetch')) return false
  return entry.transferSize === 0 && entry.decodedBodySize > 0
}

/** Returns the trace of the document, from its meta tags or `Server-Timing`; undefined if it has none, or has ended. */
export function readDocumentTrace(): PropagationContext | undefined {
  const trace = readValue('sentry-trace')
  return trace === undefined || isStored() ? undefined : propagationContextFromHeaders(trace, readValue('baggage'))
}

const readValue = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content ??
  navigationEntry()?.serverTiming?.find((entry) => entry.name === name)?.description
