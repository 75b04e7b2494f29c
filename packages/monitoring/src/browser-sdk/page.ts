import type { Event } from '@sentry/browser'

/**
 * Adds the page to an event: the same data as on the server, and no more.
 * @param page URL @default the page that is shown
 */
export function describePage(event: Event, page = location.href): Event {
  const { origin, pathname, search } = new URL(page)
  const { referrer } = document
  event.request = {
    url: origin + pathname + search,
    headers: { 'User-Agent': navigator.userAgent, ...(referrer && { Referer: referrer }) }
  }
  return event
}
