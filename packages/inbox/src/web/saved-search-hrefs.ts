import type { SavedSearch } from '../queries/issues/saved-searches.ts'
import type { IssueSort } from '../queries/issues/issue-types.ts'
import { withView, type InboxView } from './view.ts'

const fieldsOf = (query: string, sort: IssueSort) => new URLSearchParams({ q: query, ...(sort !== 'last' && { sort }) })

/** The list of issues with a saved search. Its time, and without a project of its own also the project, stay. */
export function toSavedHref({ query, sort, project }: SavedSearch, view: InboxView): string {
  const isElsewhere = project !== undefined && project !== view.project
  const there = isElsewhere ? { ...view, project, release: undefined, environment: undefined } : view
  return withView(`/inbox/issues?${fieldsOf(query, sort)}`, there)
}

/** Where a form saves the search. */
export const toSavingHref = ({ query, sort, view }: { query: string; sort: IssueSort; view: InboxView }): string =>
  withView(`/inbox/issues/searches?${fieldsOf(query, sort)}`, view)
