/** A segment of a path that names one of many: a number, a UUID, a hash, or a long run of letters and digits. */
const ONE_OF_MANY =
  /^(?:\d+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{16,}|(?=[^/]*\d)[\w-]{20,})$/i

/** Names that the SDK gives a page load or navigation when it knows no route. */
const NAMELESS = new Set(['Pageload', 'Navigation', '<unlabeled transaction>', ''])

/** Characters of a route. */
const MAX_LENGTH = 200

/**
 * The name under which a segment's durations are counted together. One that its client took from an address gets `*` for
 * whatever names one of many.
 * @param source what the name was made of; `url` where it is the path as it was asked for
 * @param path of the request or page
 */
export function routeOf(name: string, source: string | undefined, path: string | undefined): string {
  const route = NAMELESS.has(name) ? path : name
  if (route === undefined) return name || '(no name)'
  const isPattern = route === name && source !== 'url' && source !== undefined
  return (isPattern ? route : collapse(route)).slice(0, MAX_LENGTH)
}

const collapse = (route: string): string =>
  route
    .replace(/[?#].*/s, '')
    .split('/')
    .map((segment) => (ONE_OF_MANY.test(segment) ? '*' : segment))
    .join('/')
