/** Replaced by the build if the application has a base path. Missing in development and outside of a build. */
declare const HULL_BASE_PATH: string | undefined

/** Prefix of all addresses of the application, such as `/shop`; empty at the root of its origin. */
export const BASE_PATH = typeof HULL_BASE_PATH === 'string' ? HULL_BASE_PATH : ''

/** Files of the build. Their imports already have the prefix. */
const ASSETS = BASE_PATH + '/assets/'

/**
 * Returns a path of the application with BASE_PATH in front, for `fetch`, `EventSource` and `WebSocket`. Links, forms,
 * images, `navigate` and `redirect` do this themselves. Anything else than a path of this origin, and the address of an
 * imported file, is returned unchanged.
 */
export const withBasePath = (path: string): string =>
  BASE_PATH && path[0] === '/' && path[1] !== '/' && !path.startsWith(ASSETS) ? BASE_PATH + path : path

/** Returns the path that pages see. Undefined for a path outside of the application. */
export function withoutBasePath(pathname: string): string | undefined {
  if (!BASE_PATH) return pathname
  if (pathname !== BASE_PATH && !pathname.startsWith(`${BASE_PATH}/`)) return undefined
  return pathname.slice(BASE_PATH.length) || '/'
}
