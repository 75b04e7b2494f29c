import { FILTERS, toggleInText } from '../search/index.ts'
import { toVisibleParts } from '@hull/common/visible-text.ts'
import { withView, type InboxView } from '../view.ts'
import type { Inbox } from '../../store/inbox.ts'
import type { IssueSort, Located } from '../../queries/types.ts'

const SORTS = ['last', 'first', 'events', 'visitors'] as const satisfies IssueSort[]

/** What the list of issues shows where nothing is asked for. */
export const DEFAULT_QUERY = 'is:unresolved'

export const toSort = (text: string | null): IssueSort => SORTS.find((sort) => sort === text) ?? 'last'

/** What was typed, without what nobody sees in a field, or is deceived by. */
export const toQuery = (text: string | null): string =>
  text === null
    ? DEFAULT_QUERY
    : toVisibleParts(text)
        .filter((part) => typeof part === 'string')
        .join('')
        .trim()

/** The query with the filter that a form adds to it: `add` names it, `value` is its value, `name=value` for a tag. */
export function toAdded(search: URLSearchParams, query: string): string | undefined {
  const name = FILTERS.find((filter) => filter === search.get('add'))
  const value = search.get('value')?.trim()
  if (!name || !value) return undefined
  if (name !== 'tag') return toggleInText(query, { name, value })
  const [, tag, rest] = /^([^=]+)=(.+)$/s.exec(value) ?? []
  // without its value it cannot be read, which the list then says
  return tag && rest ? toggleInText(query, { name, tag, value: rest }) : `${query} tag:${value}`
}

/** One word that may be an id: a digest, an event's or a trace's. */
const IS_ONE_THING = /^[\w-]{4,64}$/

/** The page of the one thing that a text names, where it names one. */
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
