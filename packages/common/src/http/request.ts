/** The path of a request's URL, without its query. */
export function pathOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** The query of a request's URL with its question mark, as `location.search` has it: empty where there is none. */
export function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 || at === url.length - 1 ? '' : url.slice(at)
}

/**
 * The URL without the one slash too many at the end of its path, query kept; undefined where there is none, and for a
 * path with another empty segment, `//host/` among them.
 */
export function withoutTrailingSlash(url: string): string | undefined {
  const path = pathOf(url)
  if (path.length === 1 || !path.endsWith('/') || path.includes('//')) return undefined
  return path.slice(0, -1) + url.slice(path.length)
}
