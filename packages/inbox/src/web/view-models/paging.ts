import { InboxCursorInvalid } from '../../errors.ts'
import { MAX_COUNT } from '../view.ts'

/** A page of a list, from its address. The first page has none of these. */
export interface PageLink {
  cursor?: string
  /** Number of rows before the page, since a cursor has no position. */
  offset?: number
  /** For lists with forward cursors only: cursors of the pages between the first and this one, separated by dots. */
  back?: string
}

/** Maximum earlier pages in an address, enough for all counted traces. Each cursor has 24 characters. */
const MAX_BACK = 40

/** Position of a page in its list, and the pages beside it. */
export interface Paging {
  /** Number of the first row, from 1; undefined if the address has a cursor without a position. */
  first?: number
  last?: number
  /** The list's rows. */
  total: number
  next?: PageLink
  previous?: PageLink
  /** The previous page is unknown, so `previous` leads to the first page. */
  isCut?: boolean
}

interface Page {
  /** Rows on this page. */
  rows: number
  /** Rows on a full page. */
  size: number
  /** Rows of the list, counted up to `most + 1`. */
  total: number
  /** Largest total that is exact. @default MAX_COUNT */
  most?: number
  /** Cursor of the next page; undefined on the last. */
  next?: string
  /** Cursor of the previous page; undefined if that is the first one. */
  previous?: string
  /** @default whether there is no cursor of the previous page */
  isFirst?: boolean
}

/** The page in an address: `?cursor=…&offset=50`; empty for the first page. @throws InboxCursorInvalid */
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
 * Computes the position of a page. Rows may be added or removed between two requests, and the address may contain
 * anything, so the position is clamped: the first page begins at 1, and the last one ends at the total.
 * @param offset from the address; undefined on the first page, and if unknown
 */
export function toPaging(
  { rows, size, total, most = MAX_COUNT, next, previous, isFirst = previous === undefined }: Page,
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
 * The same for a list with forward cursors only, in which each address contains the pages before it.
 * @param page without what follows from the address
 * @param at the page in the address
 */
export function toPagingForward(page: Omit<Page, 'previous' | 'isFirst'>, { cursor, offset, back }: PageLink): Paging {
  const before = back?.split('.') ?? []
  const previous = before.at(-1)
  const paging = toPaging({ ...page, previous, isFirst: cursor === undefined }, offset)
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
