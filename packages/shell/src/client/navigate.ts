import { countRedirect } from './redirect-chain.ts'

/** How a navigation moves. */
export interface NavigateOptions {
  /** Takes the place of the history entry shown instead of adding one. @default false */
  replace?: boolean
  /** Leaves scroll and focus where they are. @default false */
  keepScroll?: boolean
}

/** The runtime's part that components may call. */
export interface Navigator {
  navigate: (to: string, options?: NavigateOptions) => void
  refresh: () => void
  prefetch: (to: string) => void
}

let runtime: Navigator | undefined

/** Called once, when the document's page stands. */
export function setNavigator(navigator: Navigator): void {
  runtime = navigator
}

/**
 * Goes to another address, as a click on a link to it would: another origin, or an address that is no page, is loaded as
 * a document. For event handlers and effects; on the server it does nothing.
 * @param to an absolute URL, or one relative to the address shown; anything but http and https is ignored
 * @throws RedirectError APP_REDIRECT_LOOP after ten calls in a row between which no page stayed and the visitor did nothing
 */
export function navigate(to: string, options?: NavigateOptions): void {
  if (runtime) runtime.navigate(to, options)
  else if (typeof location !== 'undefined') {
    countRedirect(to)
    location[options?.replace ? 'replace' : 'assign'](to)
  }
}

/** Asks for the data of the page shown again, and shows it without a reload: state, scroll and focus stay. */
export function refresh(): void {
  runtime?.refresh()
}

/** Loads what a page needs before anybody goes there; never with Save-Data or on a slow connection. */
export function prefetch(to: string): void {
  runtime?.prefetch(to)
}
