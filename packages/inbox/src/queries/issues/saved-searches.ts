import type { Store } from '../../store/store.ts'
import { toPlain } from '../plain-row.ts'
import { canSee } from '../scope.ts'
import type { IssueSort } from './issue-types.ts'

/** A search of the list of issues, kept under a name. */
export interface SavedSearch {
  id: number
  name: string
  query: string
  sort: IssueSort
  /** Project that it searches. @default all */
  project?: number
  /** Person who alone sees it. @default shared with everybody */
  person?: number
}

/**
 * The person's own searches and the shared ones, by name. A shared search of all projects may name things of any, so
 * only people with a role for all projects see it.
 */
export function listSavedSearches(store: Store, { person }: { person: number }): SavedSearch[] {
  return store
    .all(
      'SELECT id, name, query, sort, project, person FROM saved_search WHERE person = ? OR person IS NULL ORDER BY lower(name), id',
      person
    )
    .map(toPlain<SavedSearch>)
    .filter((search) => isForReader(store, search))
}

const isForReader = (store: Store, { project, person }: SavedSearch): boolean =>
  project === undefined
    ? person !== undefined || store.grants === undefined || store.grants.role !== 'none'
    : canSee(store, project)
