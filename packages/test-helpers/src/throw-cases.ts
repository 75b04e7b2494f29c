const PAGES = ['buffered', 'streaming', 'server-only', 'client-only', 'cached'] as const
type PageName = (typeof PAGES)[number]

/** How a page is requested. */
const WAYS = ['document', 'data', 'json', 'head', 'form', 'json form'] as const
type Way = (typeof WAYS)[number]

const IN_GUARDS = ['guard', 'layout guard']
const IN_DATA = ['getData', 'getData later', 'retry', 'getMeta', 'layout getData', 'late']
const IN_MARKUP = ['component', 'below Suspense', 'layout component', 'default layout component']
const PLACES = [...IN_GUARDS, 'action', ...IN_DATA, ...IN_MARKUP]

/** Statuses of intended outcomes; anything else is an internal error. */
const OUTCOMES: Record<string, number> = {
  unauthorized: 401,
  forbidden: 403,
  'not found': 404,
  'frozen outcome': 404,
  'proxied outcome': 404
}
const REDIRECTS = ['redirect', 'redirect outside asked for']

/** A component that throws a promise suspends until RENDER_TIMEOUT: see packages/shell/test/pages/hangs.test.ts. */
const SUSPENDING = ['promise rejected', 'promise pending']

/** One throw, at one place of one page, requested in one way. */
export interface ThrowCase {
  title: string
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  accept: string
  statuses: number[]
  /** The throw is an internal error: it is logged, and the visitor sees its digest. */
  fails: boolean
  /** The layout around the error page fails too, and is logged as well. */
  framesFail: boolean
}

/** Every case of packages/shell/test/fixtures/faults/pages/throw/thrown.ts. */
export function listThrowCases(name: string): ThrowCase[] {
  return PLACES.flatMap((place) =>
    PAGES.flatMap((page) =>
      WAYS.filter((way) => isReached(place, page, way, name)).map((way) => toCase(name, place, page, way))
    )
  )
}

function isReached(place: string, page: PageName, way: Way, name: string): boolean {
  const isForm = way === 'form' || way === 'json form'
  if (place === 'action') return isForm && page !== 'cached'
  if (IN_GUARDS.includes(place)) return page !== 'cached'
  if (isForm) return false
  // There is a delay before each attempt.
  if (place === 'retry') return page === 'buffered' && way !== 'head'
  // Without a payload, React receives the promise itself.
  const isThrownByReact = IN_MARKUP.includes(place) || (place === 'late' && page === 'server-only' && way !== 'data')
  if (isThrownByReact && SUSPENDING.includes(name)) return false
  if (!IN_MARKUP.includes(place)) return true
  if (way === 'data') return false
  return page !== 'client-only' || place.includes('layout')
}

function toCase(name: string, place: string, page: PageName, way: Way): ThrowCase {
  const isForm = way === 'form' || way === 'json form'
  const query = new URLSearchParams({ place, throw: name, way })
  const isSent = place === 'late' && (way === 'data' || page === 'client-only')
  // The stream may or may not have begun when the late value is thrown.
  const mayBeSent = isSent || (place === 'late' && page === 'streaming')
  const isOutcome = name in OUTCOMES
  const isRedirect = REDIRECTS.includes(name) && !(isForm && name === 'redirect outside asked for')
  const isProgram = way === 'data' || way === 'json' || way === 'json form'
  // Only the browser's runtime reads a redirect as JSON.
  const redirectStatus = way === 'data' || way === 'json form' ? 200 : isForm ? 303 : 302
  const fails = !isOutcome && !isRedirect
  const status = isOutcome ? OUTCOMES[name]! : isRedirect ? redirectStatus : 500
  return {
    title: `${name}, ${place}, ${page}, ${way}`,
    url: `${way === 'data' ? '/-/data' : ''}/throw/${page}?${query.toString()}`,
    method: isForm ? 'POST' : way === 'head' ? 'HEAD' : 'GET',
    accept: way === 'json' || way === 'json form' ? 'application/json' : 'text/html',
    statuses: [...(mayBeSent ? [200] : []), ...(isSent ? [] : [status])],
    fails,
    framesFail: place === 'default layout component' && !isProgram
  }
}
