// What pages import as $app/core.
export { isServer, useRouteContext } from './client.ts'

/**
 * An address for a route that a page's `configure` registers.
 * @param name the build names those that have none, by their page
 */
export const createServerAction = (name: string): string => `/-/action/${name}`
