/** Parts of a request that identify its route. */
export interface RoutedRequest {
  /** The page that the request is for. */
  visit?: { page: { pattern: { path: string } } } | null
  routeOptions: { url?: string; config: { url?: string; isPage?: boolean; pagePath?: string | undefined } }
}

/**
 * Returns the pattern that matched the request's address, for logs, metrics and traces; for a page, as its file spells
 * it: the router uses another notation. Undefined without a route.
 */
export const nameOfRoute = ({ visit, routeOptions }: RoutedRequest): string | undefined =>
  visit?.page.pattern.path ?? (routeOptions.config.isPage ? routeOptions.config.pagePath : routeOptions.url)
