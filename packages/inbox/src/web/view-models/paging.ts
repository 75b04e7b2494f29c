import { InboxCursorInvalid } from '../../errors.ts'

/** A page of a list as its address names it; the first page has neither. */
export interface PageLink {
  cursor?: string
  /** Rows before the first row of the page: a cursor knows no position. */
  offset?: number
  /** Of a list whose cursors lead forward only: cursors of the pages between the first and this one, with dots. */
  back?: string
}

/** Earlier pages that an address names: those of all traces that are counted, 24 characters each. */
const MAX_BACK = 40

/** The position of a page in its list, and the pages beside it. */
export interface Paging {
  /** Number of the first row, from 1; undefined where the address has a cursor without a position. */
  first?: number
  last?: number
  /** Rows of the list. */
  total: number
  next?: PageLink
  previous?: PageLink
  /** The page before is no longer known: `previous` is the first page. */
  isCut?: boolean
}

interface Page {
  /** Rows on this page. */
  rows: number
  /** Rows on a full page. */
  size: number
  /** Rows of the list; counted up to `most + 1`. */
  total: number
  /** The largest total that is exact. */
  most: number
  isFirst: boolean
  /** Cursor of the next page; undefined on the last. */
  next?: string
  /** Cursor of the page before; without it the list leads back to its first page. */
  previous?: string
}

/** What the address says of a page: `?cursor=…&offset=50`; nothing of the first page. @throws InboxCursorInvalid */
export function readPage(search: URLSearchParams): PageLink {
  const cursor = search.get('cursor')
  if (cursor === null) return {}
  const offset = search.get('offset')
  if (offset !== null && !/^\d{1,9}$/.test(offset)) throw new InboxCursorInvalid()
  const back = search.get('back')
  if (back !== null && (!/^[\w.-]+$/.test(back) || back.split('.').length > MAX_BACK)) throw new InboxCursorInvalid()
  return { cursor, ...(offset !== null && { offset: Number(offset) }), ...(back !== null && { back }) }
}

/**
 * Position of a page. Rows come and go between two looks, and anybody can write an address: the position is clamped to
 * the total, the first page begins at 1, and the last one ends at the total.
 * @param offset as the address has it; undefined on the first page, and where it is unknown
 */
export function toPaging(
  { rows, size, total, most, isFirst, next, previous }: Page,
  offset: number | undefined
): Paging {
  const isExact = total <= most
  const end = Math.max(total - rows, 0)
  let before: number | undefined = isFirst ? 0 : offset
  if (isExact && next === undefined) before = end
  else if (isExact && before !== undefined) before = Math.min(before, end)
  return {
    total,
    ...(before !== undefined && rows > 0 && { first: before + 1, last: before + rows }),
    ...(next !== undefined && { next: { cursor: next, ...(before !== undefined && { offset: before + rows }) } }),
    ...(!isFirst && { previous: toPrevious(previous, before === undefined ? undefined : Math.max(before - size, 0)) })
  }
}

const toPrevious = (cursor: string | undefined, offset: number | undefined): PageLink =>
  cursor === undefined ? {} : { cursor, ...(offset !== undefined && { offset }) }

/**
 * The same for a list whose cursors lead forward only: each address names the pages before it.
 * @param page without `previous`, which follows from the address
 * @param at what the address says of this page
 */
export function toPagingForward(page: Page, { cursor, offset, back }: PageLink): Paging {
  const before = back?.split('.') ?? []
  const previous = before.at(-1)
  const paging = toPaging({ ...page, ...(previous !== undefined && { previous }) }, offset)
  const isCut = previous === undefined && offset !== undefined && offset > page.size
  return {
    ...paging,
    ...(paging.next && { next: withBack(paging.next, cursor === undefined ? [] : [...before, cursor]) }),
    ...(paging.previous && { previous: withBack(paging.previous, before.slice(0, -1)) }),
    ...(isCut && { isCut })
  }
}

const withBack = (link: PageLink, before: string[]): PageLink =>
  before.length === 0 ? link : { ...link, back: before.slice(-MAX_BACK).join('.') }
