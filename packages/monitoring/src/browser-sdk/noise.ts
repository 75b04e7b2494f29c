import type { Event } from '@sentry/browser'

/** Scripts that visitors brought themselves. */
const FOREIGN_SCRIPT = /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url):/

/** What tells nothing or breaks nothing, as Sentry's own filters have it: scripts of other origins, observers that are late, and what browsers inside applications put into every page. */
const HARMLESS =
  /^(?:Script error\.?|ResizeObserver loop .*)$|_AutofillCallbackHandler|Object Not Found Matching Id:\d+|^Java object is gone$/

/** Whether an event is of no use to whoever keeps this application. */
export function isNoise({ exception, message }: Event): boolean {
  const { value, stacktrace } = exception?.values?.[0] ?? {}
  return HARMLESS.test(value ?? message ?? '') || FOREIGN_SCRIPT.test(stacktrace?.frames?.at(-1)?.filename ?? '')
}
