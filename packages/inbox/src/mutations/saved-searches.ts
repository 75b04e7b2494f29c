import { foldName, MAX_NAME_LENGTH, toPersonName } from '../access/person-name.ts'
import { InboxSearchInvalid, InboxSearchNameTaken, InboxSearchNotFound, InboxSearchTooMany } from '../errors.ts'
import { parseSearch, SearchInvalid } from '../web/search/index.ts'
import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { insertRow } from '../store/rows.ts'
import { getProject } from './projects.ts'
import type { IssueSort } from '../queries/issues/issue-types.ts'
import type { Who } from './author.ts'

/** Owner and project of the searches; null for everybody, and for all projects. */
interface Shelf {
  person: number | null
  project: number | null
}

/** Maximum searches of a person in a project, and of everybody in a project. A guess: more than a menu can show. */
const MAX_SEARCHES = 50

/**
 * Saves a search of the list of issues under a name, for the person or for everybody.
 * @param project project to search @default all
 * @returns the search's id
 * @throws InboxSearchInvalid
 * @throws InboxSearchNameTaken
 * @throws InboxSearchTooMany
 */
export function saveSearch(
  store: Store,
  input: { name: string; query: string; sort: IssueSort; project?: number | undefined; isShared: boolean; who: Who }
): number {
  const { name, query, sort, project, isShared, who } = input
  const shelf = { person: isShared ? null : who, project: project ?? null }
  const checked = checkName(store, name, shelf)
  checkQuery(query)
  if (project !== undefined) getProject(store, project)
  if (listShelf(store, shelf).length >= MAX_SEARCHES) throw new InboxSearchTooMany(MAX_SEARCHES)
  if (isShared) recordAudit(store, 'search-shared', { who, detail: checked })
  return insertRow(store, 'saved_search', { ...shelf, name: checked, query, sort, created: Date.now() })
}

/** @throws InboxSearchInvalid @throws InboxSearchNameTaken @throws InboxSearchNotFound also for others' own searches */
export function renameSearch(store: Store, { id, name, who }: { id: number; name: string; who: Who }): void {
  const search = findSearch(store, id, who)
  const checked = checkName(store, name, search, id)
  if (checked === search.name) return
  store.write('UPDATE saved_search SET name = ? WHERE id = ?', checked, id)
  if (search.person === null) recordAudit(store, 'search-renamed', { who, detail: `${search.name} → ${checked}` })
}

/** @throws InboxSearchNotFound also for others' own searches */
export function removeSearch(store: Store, { id, who }: { id: number; who: Who }): void {
  const { person, name } = findSearch(store, id, who)
  store.write('DELETE FROM saved_search WHERE id = ?', id)
  if (person === null) recordAudit(store, 'search-removed', { who, detail: name })
}

function findSearch(store: Store, id: number, who: number): Shelf & { name: string } {
  const found = store.get<Shelf & { name: string }>(
    'SELECT person, project, name FROM saved_search WHERE id = ? AND (person IS NULL OR person = ?)',
    id,
    who
  )
  if (!found) throw new InboxSearchNotFound()
  return found
}

const listShelf = (store: Store, { person, project }: Shelf) =>
  store.all<{ id: number; name: string }>(
    'SELECT id, name FROM saved_search WHERE person IS NOT DISTINCT FROM ? AND project IS NOT DISTINCT FROM ?',
    person,
    project
  )

/** @param own the search that may keep its name */
function checkName(store: Store, text: string, shelf: Shelf, own?: number): string {
  const name = toPersonName(text)
  if (name === undefined) throw new InboxSearchInvalid(`enter a name of 1 to ${MAX_NAME_LENGTH} characters`)
  const taken = listShelf(store, shelf).some((other) => other.id !== own && foldName(other.name) === foldName(name))
  if (taken) throw new InboxSearchNameTaken()
  return name
}

function checkQuery(query: string): void {
  try {
    parseSearch(query)
  } catch (error) {
    if (!(error instanceof SearchInvalid)) throw error
    throw new InboxSearchInvalid(error.message.replace(/\.$/, ''))
  }
}
