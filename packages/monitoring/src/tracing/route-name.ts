/** As much of a request as tells its route; pages import the types of this room, and know of no plugin. */
export interface RoutedRequest {
  /** The page that the request is for. */
  visit?: { page: { pattern: { path: string } } } | null
  routeOptions: { url?: string; config: { url?: string; isPage?: boolean } }
}

/**
 * The pattern that a request's address was matched by: a page's as its file spells it. Undefined where there is no
 * route, and for a page until it is known which: the router has words of its own for it.
 */
export const nameOfRoute = ({ visit, routeOptions }: RoutedRequest): string | undefined =>
  routeOptions.config.isPage ? visit?.page.pattern.path : routeOptions.url
