import { withView, type InboxView } from '../../common/inbox-view.ts'
import type { Inbox } from '../inbox.ts'
import type { IssueSort, Located } from '../queries/types.ts'

const SORTS = ['last', 'first', 'events', 'visitors'] as const satisfies IssueSort[]

/** Characters of a query. */
const MAX_QUERY_LENGTH = 500

/** What the list of issues shows where nothing is asked for. */
export const DEFAULT_QUERY = 'is:unresolved'

export const toSort = (text: string | null): IssueSort => SORTS.find((sort) => sort === text) ?? 'last'

export const toQuery = (text: string | null): string => text?.trim().slice(0, MAX_QUERY_LENGTH) ?? DEFAULT_QUERY

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
