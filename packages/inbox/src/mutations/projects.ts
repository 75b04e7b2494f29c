import { InboxProjectInvalid, InboxProjectNotFound, InboxRepositoryInvalid } from '../errors.ts'
import { isRepositoryHost, type Repository } from '../web/repository.ts'
import { createKey, findProject } from '../store/projects.ts'
import { OWN_PROJECT, type Project } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { insertRow, updateRow } from '../store/rows.ts'
import type { Author } from './author.ts'

/** Maximum characters of a project name, so that lists show it in one line. A guess. */
const MAX_NAME = 80

/** @throws InboxProjectInvalid for a name that is empty or too long */
export function createProject(store: Store, { name, by }: Author & { name: string }): Project {
  const project = { name: toName(name), key: createKey(), created: Date.now() }
  const id = insertRow(store, 'project', project)
  recordAudit(store, 'project-created', { who: by, detail: project.name })
  return { id, ...project }
}

/**
 * @throws InboxProjectInvalid for a name that is empty or too long
 * @throws InboxProjectNotFound
 */
export function renameProject(store: Store, { id, name, by }: Author & { id: number; name: string }): void {
  const before = getProject(store, id).name
  const after = toName(name)
  store.write('UPDATE project SET name = ? WHERE id = ?', after, id)
  recordAudit(store, 'project-renamed', { who: by, detail: `${before} → ${after}` })
}

/** Maximum characters of an address, and of a folder. Guesses. */
const MAX_URL = 500
const MAX_FOLDER = 200

/**
 * Links the source of a project's errors.
 * @param repository @default none, which removes the links
 * @throws InboxRepositoryInvalid
 * @throws InboxProjectNotFound
 */
export function setRepository(
  store: Store,
  { id, repository, by }: Author & { id: number; repository?: Repository }
): void {
  const { name } = getProject(store, id)
  const url = repository && toRepositoryUrl(repository)
  const folder = toFolder(repository?.folder ?? '')
  updateRow(store, 'project', id, {
    repository_host: repository?.host,
    repository_url: url,
    repository_folder: folder || null
  })
  const shown = [url ?? 'none', ...(folder ? [folder] : [])].join(' · ')
  recordAudit(store, 'repository-set', { who: by, detail: `${name}: ${shown}` })
}

/** Returns the folder without what leads elsewhere: `/packages/./web/` is `packages/web`. */
const toFolder = (text: string): string =>
  text
    .slice(0, MAX_FOLDER)
    .split(/[/\\]/)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !/^\.\.?$/.test(part))
    .join('/')

/** @throws InboxRepositoryInvalid unless it is a http or https address of a known host */
function toRepositoryUrl({ host, url }: Repository): string {
  const parsed = URL.parse(url.trim())
  const isValid = parsed && /^https?:$/.test(parsed.protocol) && parsed.pathname.length > 1 && url.length <= MAX_URL
  if (!isValid || parsed.username || parsed.password || !isRepositoryHost(host)) throw new InboxRepositoryInvalid()
  return parsed.origin + parsed.pathname.replace(/(?:\.git)?\/*$/, '')
}

/** Creates a new key; the old one is refused from now on. @throws InboxProjectNotFound */
export function renewKey(store: Store, { id, by }: Author & { id: number }): Project {
  const project = { ...getProject(store, id), key: createKey() }
  store.write('UPDATE project SET key = ? WHERE id = ?', project.key, id)
  recordAudit(store, 'project-key-rotated', { who: by, detail: project.name })
  return project
}

/**
 * Stops accepting envelopes for the project. Its data stays until retention removes it.
 * @throws InboxProjectNotFound
 * @throws InboxProjectInvalid for the application's own project
 */
export function removeProject(store: Store, { id, by }: Author & { id: number }): void {
  if (id === OWN_PROJECT) throw new InboxProjectInvalid("the application's own cannot be removed")
  const { name } = getProject(store, id)
  store.write('DELETE FROM saved_search WHERE project = ?', id)
  store.write(`DELETE FROM alert_message WHERE project = ? AND state = 'waiting'`, id)
  store.write('UPDATE project SET removed = ? WHERE id = ?', Date.now(), id)
  recordAudit(store, 'project-removed', { who: by, detail: name })
}

/** @throws InboxProjectNotFound */
export function getProject(store: Store, id: number): Project {
  const project = findProject(store, id)
  if (!project) throw new InboxProjectNotFound()
  return { ...project }
}

function toName(text: string): string {
  const name = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  if (name === '') throw new InboxProjectInvalid('it needs a name')
  if (name.length > MAX_NAME) throw new InboxProjectInvalid(`its name may have ${MAX_NAME} characters`)
  return name
}
