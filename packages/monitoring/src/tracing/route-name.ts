/**
 * Parts of a request that identify its route. Pages import types of this package and must not depend on its plugins.
 */
export interface RoutedRequest {
  /** The page that the request is for. */
  visit?: { page: { pattern: { path: string } } } | null
  routeOptions: { url?: string; config: { url?: string; isPage?: boolean } }
}

/**
 * Returns the pattern that matched the request's address; for a page, as its file spells it. Undefined without a route,
 * and for a page until the page is known, because the router uses another notation.
 */
export const nameOfRoute = ({ visit, routeOptions }: RoutedRequest): string | undefined =>
  routeOptions.config.isPage ? visit?.page.pattern.path : routeOptions.url
