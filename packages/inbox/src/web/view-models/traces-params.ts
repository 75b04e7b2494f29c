import type { Side } from '../../store/model.ts'
import { readPage, type PageLink } from './paging.ts'

const ROUTE_SORTS = ['requests', 'p95', 'errors'] as const
export type RouteSort = (typeof ROUTE_SORTS)[number]
export type TraceSort = 'newest' | 'slowest'

/** Characters of a route in an address. */
const MAX_ROUTE = 300

/** What the list of traces is asked for: `?route=/items&side=server&by=p95&sort=slowest&cursor=…&offset=30&back=…`. */
export interface TracesParams {
  route?: string
  side?: Side
  by: RouteSort
  sort: TraceSort
  /** `routes=all`: as many as are known, not the first of them. */
  isLong: boolean
  page: PageLink
}

/** Whatever makes no sense is ignored, except for a page that does not exist. @throws InboxCursorInvalid */
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
