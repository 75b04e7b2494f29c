import type { Href } from '@hull/common/href.ts'
import type { Redirect } from '@hull/common/outcomes.ts'
import { toRedirectTarget } from '@hull/common/safe-url.ts'
import { withBasePath } from '../base-path.ts'
import { countRedirect, createRedirectLoop, createUnsafeRedirect } from './redirects.ts'

/** Options of a navigation. */
export interface NavigateOptions {
  /** Replaces the current history entry instead of adding one. @default false */
  replace?: boolean
  /** Keeps scroll position and focus. @default false */
  keepScroll?: boolean
}

interface InternalOptions extends NavigateOptions {
  /**
   * Set if the server redirects after a form: the time at which it was sent, from `performance.now()`. Nothing that was
   * entered would be lost.
   */
  sentAt?: number
}

/** Functions of the runtime for components. */
export interface Navigator {
  /** Address of the shown page. While a visitor goes back, the browser's is that of the next page already. */
  address: () => string
  navigate: (to: string, options?: InternalOptions) => void
  refresh: () => void
  prefetch: (to: string) => void
  expire: (paths?: string[]) => Promise<void>
}

let runtime: Navigator | undefined

/** Called once, when the document's page is hydrated. */
export function setNavigator(navigator: Navigator): void {
  runtime = navigator
}

/**
 * Navigates like a click on a link. Another origin, or an address that is not a page, is loaded as a document. Call it
 * in event handlers and effects; on the server it does nothing.
 * @param to an absolute URL, or one relative to the current address; schemes other than http and https are ignored
 * @throws RedirectError APP_REDIRECT_LOOP after ten consecutive calls without input from the visitor and without a page
 * that stayed for a second
 */
export function navigate(to: Href, options?: NavigateOptions): void {
  if (runtime) return runtime.navigate(to, options)
  if (typeof location === 'undefined') return
  const url = resolveLink(withBasePath(to))
  if (!isWebAddress(url)) return
  countRedirect(to)
  location[options?.replace ? 'replace' : 'assign'](url.href)
}

/** Follows the redirect that answers a fetcher, unless the visitor has requested another page since `sentAt`. */
export function followAnswer(to: string, replace: boolean, sentAt: number): void {
  runtime?.navigate(to, { replace, sentAt })
}

/** Returns the address of the shown page. */
export const shownAddress = (): string => runtime?.address() ?? location.href

/** Resolves a link of the shown page. */
export function resolveLink(link: string): URL {
  const { baseURI } = document
  return new URL(link, baseURI === location.href ? shownAddress() : baseURI)
}

/**
 * Whether a navigation may lead to an address. One with a scheme such as `javascript:` would run as code of the page.
 */
export const isWebAddress = ({ protocol }: Pick<URL, 'protocol'>): boolean =>
  protocol === 'http:' || protocol === 'https:'

/**
 * Loads the data of the current page again, without a reload, and discards prefetched and kept data of other pages that is
 * not static. Keeps state, scroll position and focus. An answer of 401, 403 or 404 is shown instead of the page. If another
 * build answers, a notice asks the visitor to reload. Any other failure changes nothing.
 */
export function refresh(): void {
  runtime?.refresh()
}

/**
 * Discards prefetched and kept page data, and requests the shown page's data again.
 * @param paths only if the shown page has one of these addresses. @default always
 */
export async function expire(paths?: string[]): Promise<void> {
  await runtime?.expire(paths)
}

/** Loads chunk, stylesheet and data of a page before a navigation. Does nothing with Save-Data or on a 2G connection. */
export function prefetch(to: Href): void {
  runtime?.prefetch(to)
}

/**
 * Follows a redirect that a component threw in the browser.
 * @param address path and query of the page that threw the redirect; the window may still have the last page's
 * @throws RedirectError if the redirect is refused
 */
export function followRedirect({ to, external }: Redirect, address: string): void {
  const target = toRedirectTarget(to, external, address)
  if (target === undefined) throw createUnsafeRedirect(to)
  const { origin, pathname, search, href } = new URL(withBasePath(target), location.href)
  if (origin !== location.origin) {
    countRedirect(href)
    location.replace(href)
  } else if (pathname + search === withBasePath(address)) throw createRedirectLoop(to)
  else navigate(href as Href, { replace: true })
}
