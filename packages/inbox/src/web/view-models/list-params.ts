import { addInText, FILTERS } from '../search/index.ts'
import { toVisibleParts } from '@hull/common/visible-text.ts'
import { withPage, withView, type InboxView } from '../view.ts'
import { readPage } from './paging.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueSort } from '../../queries/issues/issue-types.ts'
import type { Located } from '../../queries/locate.ts'

const SORTS = ['last', 'first', 'events', 'visitors'] as const satisfies IssueSort[]

/** Query of the list of issues by default. */
const DEFAULT_QUERY = 'is:unresolved'

export const toSort = (text: string | null): IssueSort => SORTS.find((sort) => sort === text) ?? 'last'

/** Typed text without invisible and misleading characters. */
export const toQuery = (text: string | null): string =>
  text === null
    ? DEFAULT_QUERY
    : toVisibleParts(text)
        .filter((part) => typeof part === 'string')
        .join('')
        .trim()

/** Address of the list as it is shown: with its search, order and page. @throws InboxCursorInvalid */
export function toListHref(search: URLSearchParams, view: InboxView): string {
  const kept = ['q', 'sort'].flatMap((name) => (search.has(name) ? [[name, search.get(name)!]] : []))
  return withPage(withView(`/inbox/issues?${new URLSearchParams(kept)}`, view), readPage(search))
}

/** The query with the filter that a form adds: `add` is its name, `value` its value, `name=value` for a tag. */
export function toAdded(search: URLSearchParams, query: string): string | undefined {
  const name = FILTERS.find((filter) => filter === search.get('add'))
  const value = search.get('value')?.trim()
  if (!name || !value) return undefined
  if (name !== 'tag') return addInText(query, { name, value })
  const [, tag, rest] = /^([^=]+)=(.+)$/s.exec(value) ?? []
  // an incomplete filter is kept; the list then reports the error
  return tag && rest ? addInText(query, { name, tag, value: rest }) : `${query} tag:${value}`
}

/** A single word that may be an id: a digest, the id of an event or trace, or the number of an issue. */
const IS_ONE_THING = /^(?:[\w-]{4,64}|#\d{1,15})$/

/** Address of the page for an id; undefined if the text is no known id. */
export async function findPlace(
  { queries }: Pick<Inbox, 'queries'>,
  text: string,
  view: InboxView
): Promise<string | undefined> {
  if (!IS_ONE_THING.test(text)) return undefined
  const located = await queries.locate({ text })
  return located && withView(toPath(located), view)
}

function toPath(located: Located): string {
  switch (located.kind) {
    case 'trace':
      return `/inbox/traces/${located.traceId}`
    case 'event':
      return `/inbox/issues/${located.issue}?event=${located.eventId}`
    case 'issue':
      return `/inbox/issues/${located.issue}`
  }
}
