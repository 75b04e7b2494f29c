import type { FastifyRequest } from 'fastify'

/**
 * The pattern that a request's address was matched by: a page's as its file spells it. Undefined where there is no
 * route, and for a page until it is known which: the router has words of its own for it.
 */
export const nameOfRoute = ({ visit, routeOptions }: FastifyRequest): string | undefined =>
  routeOptions.config.isPage ? visit?.page.pattern.path : routeOptions.url
