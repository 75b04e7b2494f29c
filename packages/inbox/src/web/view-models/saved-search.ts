import type { Person } from '../../access/access.ts'
import { isAtLeast, roleIn } from '../../access/roles.ts'
import type { SavedSearch } from '../../queries/issues/saved-searches.ts'

/** Audience of the searches that a person saves. */
export type Sharing = 'all' | 'choice' | 'own'

/**
 * Audience of the searches that the person saves: `all` if the admins share one password, with which each can sign in
 * under the name of another; `choice` for people who may share; `own` for the others.
 * @param project of the search @default all
 */
export function sharingOf(person: Person, way: string | undefined, project?: number): Sharing {
  const isShared = way === 'password' && person.role === 'admin' && !person.isExternal && !person.hasPassword
  if (isShared) return 'all'
  return canChange(person, { project }) ? 'choice' : 'own'
}

/** Whether the person may rename and remove the search: the own, or a shared one as a member. */
export const canChange = (person: Person, search: Pick<SavedSearch, 'project' | 'person'>): boolean =>
  search.person === person.person ||
  isAtLeast(search.project === undefined ? person.role : roleIn(person, search.project), 'member')
