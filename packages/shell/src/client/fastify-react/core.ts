// Exports for pages that import $app/core.
export { isServer, useRouteContext } from './client.ts'

/**
 * Returns the address of a route that a page's `configure` registers.
 * @param name the build inserts a missing name, from the page's file
 */
export const createServerAction = (name: string): string => `/-/action/${name}`
