import type { Side } from '../../store/model.ts'
import { readPage, type PageLink } from './paging.ts'

const ROUTE_SORTS = ['requests', 'p95', 'errors'] as const
type RouteSort = (typeof ROUTE_SORTS)[number]
type TraceSort = 'newest' | 'slowest'

/** Maximum characters of a route in an address. */
const MAX_ROUTE = 300

/** Parameters of the list of traces: `?route=/items&side=server&by=p95&sort=slowest&cursor=…&offset=30&back=…`. */
export interface TracesParams {
  route?: string
  side?: Side
  by: RouteSort
  sort: TraceSort
  /** `routes=all`: shows all routes instead of the first ones. */
  isLong: boolean
  page: PageLink
}

/** Ignores invalid parameters, except the cursor of a page that does not exist. @throws InboxCursorInvalid */
export function toTracesParams(search: URLSearchParams): TracesParams {
  const route = search.get('route')
  const side = search.get('side')
  return {
    ...(route !== null && route !== '' && route.length <= MAX_ROUTE ? { route } : {}),
    ...(side === 'browser' || side === 'server' ? { side } : {}),
    by: ROUTE_SORTS.find((sort) => sort === search.get('by')) ?? 'requests',
    sort: search.get('sort') === 'slowest' ? 'slowest' : 'newest',
    isLong: search.get('routes') === 'all',
    page: readPage(search)
  }
}
