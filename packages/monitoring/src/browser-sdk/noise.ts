import type { Event } from '@sentry/browser'

/** Scripts of browser extensions. */
const FOREIGN_SCRIPT = /^(?:(?:chrome|moz|safari|safari-web|ms-browser)-extension|webkit-masked-url):/

/**
 * Messages without information or effect, as in Sentry's own filters: errors of scripts from other origins, late
 * observers, and scripts that in-app browsers add to every page.
 */
const HARMLESS =
  /^(?:Script error\.?|ResizeObserver loop .*)$|_AutofillCallbackHandler|Object Not Found Matching Id:\d+|^Java object is gone$/

/** Whether an event is of no use to the application's developers. Decided by the reported error, not by its causes. */
export function isNoise({ exception, message }: Event): boolean {
  // The SDK puts causes before the reported error.
  const { value, stacktrace } = exception?.values?.at(-1) ?? {}
  return HARMLESS.test(value ?? message ?? '') || FOREIGN_SCRIPT.test(stacktrace?.frames?.at(-1)?.filename ?? '')
}
