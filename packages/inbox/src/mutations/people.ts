import {
  InboxLastAdmin,
  InboxNameTaken,
  InboxPersonNotFound,
  InboxPersonRemoved,
  InboxProjectNotFound
} from '../errors.ts'
import { trustedNow } from '@hull/common/trusted-clock.ts'
import { removeExpired } from '../access/expiry.ts'
import { MAX_NAME_LENGTH } from '../access/person-name.ts'
import type { Grants } from '../access/roles.ts'
import type { Role } from '../store/model.ts'
import { findByName, reads } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import { recordAudit } from './audit.ts'
import { removeOwnMail } from './following.ts'
import { insertRow, writeRow } from '../store/rows.ts'
import { getProject } from './projects.ts'
import type { Who } from './author.ts'

export interface NewPersonSession {
  hash: string
  /** Milliseconds since the epoch. */
  at: number
  /** Client description, such as `Firefox on Linux`. */
  client?: string
  /** Hash of the browser's previous session, which is closed. */
  replaces?: string
  /**
   * Fingerprints of the password that opened the session, with the secret of each replica; undefined for a link. The
   * first is stored, and sessions with the others stay open.
   */
  passwordFingerprints?: readonly string[]
  /** Milliseconds since the epoch at which the session ends in any case. @default never */
  expires?: number
}

/**
 * Opens a session for the admin with this name and creates the admin if needed. Removes sessions that were opened
 * with another password.
 * @returns the person
 * @throws InboxNameTaken if a person who is no admin has this name, or a person of the sign-in service
 */
export function signInAdmin(store: Store, { name, session }: { name: string; session: NewPersonSession }): number {
  const known = findByName(store, name)
  if (known && (known.role !== 'admin' || known.subject !== null)) throw new InboxNameTaken()
  const person = known?.id ?? addPerson(store, name, 'admin', session.at)
  removeSessionsOfOtherPasswords(store, session.passwordFingerprints)
  openSession(store, person, session, session.passwordFingerprints === undefined ? 'printed link' : 'INBOX_PASSWORD')
  return person
}

/**
 * Opens a session for a person who entered their own password.
 * @param password hash that was compared
 * @returns undefined if the person was removed or the password changed meanwhile
 */
export function signInPerson(
  store: Store,
  { person, password, session }: { person: number; password: string; session: NewPersonSession }
): number | undefined {
  if (!store.get('SELECT 1 FROM person WHERE id = ? AND password = ? AND removed IS NULL', person, password))
    return undefined
  openSession(store, person, session, 'password')
  return person
}

/**
 * Opens a session for a person of the sign-in service, who is added at the first sign-in, and takes over the role.
 * @param subject issuer and subject
 * @returns the person
 * @throws InboxPersonRemoved
 */
export function signInExternal(
  store: Store,
  input: { subject: string; name: string; session: NewPersonSession } & Grants
): number {
  const { subject, name, role, projects, session } = input
  const known = store.get<{ id: number; removed: number | null }>(
    'SELECT id, removed FROM person WHERE subject = ?',
    subject
  )
  if (known && known.removed !== null) throw new InboxPersonRemoved()
  const person = known?.id ?? addPerson(store, toFreeName(store, name), role, session.at)
  if (known) changeRole(store, { id: person, role })
  else store.write('UPDATE person SET subject = ? WHERE id = ?', subject, person)
  setGroupRoles(store, person, projects)
  openSession(store, person, session, 'sign-in service')
  return person
}

/**
 * Takes away the roles that the groups of a person gave, if there is such a person: sessions and tokens have none of
 * their rights any more.
 */
export function withdrawGroupRoles(store: Store, { subject }: { subject: string }): void {
  const known = store.get<{ id: number }>('SELECT id FROM person WHERE subject = ? AND removed IS NULL', subject)
  if (!known) return
  changeRole(store, { id: known.id, role: 'none' })
  setGroupRoles(store, known.id, {})
}

/** Sets the roles for single projects that a person's groups give, and keeps those that an admin gave. */
function setGroupRoles(store: Store, id: number, roles: Grants['projects']): void {
  const known = new Map(
    store
      .all<{ project: number; by_groups: number }>('SELECT project, by_groups FROM person_project WHERE person = ?', id)
      .map((row) => [row.project, row.by_groups === 1])
  )
  for (const project of new Set([...known.keys(), ...Object.keys(roles).map(Number)])) {
    if (known.get(project) === false || !store.get('SELECT 1 FROM project WHERE id = ?', project)) continue
    changeProjectRole(store, { id, project, role: roles[project] })
    store.write('UPDATE person_project SET by_groups = 1 WHERE person = ? AND project = ?', id, project)
  }
}

/** The name, with a number if another person has it: a name at the service does not prove to be that person. */
function toFreeName(store: Store, name: string): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : ` (${number})`
    const free = name.slice(0, MAX_NAME_LENGTH - end.length) + end
    if (!findByName(store, free)) return free
  }
}

/**
 * Sets a person's password, ends their sessions, and revokes their open sign-in links.
 * @param password hash @param keep hash of the session that stays, which sets the password; empty for an invitation
 * @param replaces hash of the password before, null for none @default any
 * @returns false if the person has another password meanwhile, or the session has ended
 * @throws InboxPersonNotFound
 */
export function setPassword(
  store: Store,
  { id, password, keep, replaces }: { id: number; password: string; keep: string; replaces?: string | null }
): boolean {
  getRole(store, id)
  const known = store.get<{ password: string | null }>('SELECT password FROM person WHERE id = ?', id)!
  if (replaces !== undefined && known.password !== replaces) return false
  if (keep !== '' && !store.get('SELECT 1 FROM person_session WHERE hash = ? AND person = ?', keep, id)) return false
  store.write('UPDATE person SET password = ? WHERE id = ?', password, id)
  store.write('DELETE FROM person_session WHERE person = ? AND hash <> ?', id, keep)
  revokeSignInLinks(store, id)
  recordAudit(store, 'password-set', { who: id })
  return true
}

/** @throws InboxNameTaken @throws InboxPersonNotFound */
export function renamePerson(store: Store, { id, name }: { id: number; name: string }): void {
  getRole(store, id)
  const known = findByName(store, name)
  if (known && known.id !== id) throw new InboxNameTaken()
  const { name: before } = store.get<{ name: string }>('SELECT name FROM person WHERE id = ?', id)!
  store.write('UPDATE person SET name = ? WHERE id = ?', name, id)
  recordAudit(store, 'renamed', { who: id, detail: before })
}

/**
 * Changes a person's roles. Revokes the open invitations of a person who is no longer an admin.
 * @param role for all projects @default unchanged
 * @param projects roles for single projects, by their ids; undefined is the role for all projects. Projects that are
 * not named keep their role.
 * @throws InboxLastAdmin
 * @throws InboxPersonNotFound
 * @throws InboxProjectNotFound
 */
export function setRoles(
  store: Store,
  input: {
    id: number
    role?: Role | undefined
    projects?: Readonly<Record<string, Role | undefined>>
    by?: Who | undefined
  }
): void {
  const { id, role, projects, by } = input
  if (role !== undefined) {
    if (getRole(store, id) === 'admin' && role !== 'admin') refuseLastAdmin(store, id)
    changeRole(store, { id, role, by })
  }
  for (const [project, projectRole] of Object.entries(projects ?? {}))
    changeProjectRole(store, { id, project: Number(project), role: projectRole, by })
  // Only if an admin changed the roles: those that a group at the sign-in service gives may come back.
  store.write(
    `UPDATE issue SET assignee = NULL WHERE assignee = ?
       AND NOT EXISTS (SELECT 1 FROM person WHERE person.id = ? AND ${reads('issue.project')})`,
    id,
    id
  )
}

/** @param role undefined: the role for all projects */
function changeProjectRole(
  store: Store,
  { id, project, role, by }: { id: number; project: number; role: Role | undefined; by?: number | undefined }
): void {
  const named = store.get<{ name: string }>('SELECT name FROM project WHERE id = ?', project)
  if (!named) throw new InboxProjectNotFound()
  getRole(store, id)
  const before = store.get<{ role: Role }>(
    'SELECT role FROM person_project WHERE person = ? AND project = ?',
    id,
    project
  )?.role
  if (before === role) return
  if (role === undefined) store.write('DELETE FROM person_project WHERE person = ? AND project = ?', id, project)
  else
    store.write(
      `INSERT INTO person_project (person, project, role) VALUES (?, ?, ?)
       ON CONFLICT (person, project) DO UPDATE SET role = excluded.role, by_groups = excluded.by_groups`,
      id,
      project,
      role
    )
  const words = (known: Role | undefined) => known ?? 'as for all projects'
  recordAudit(store, 'role-changed', {
    who: by,
    person: id,
    detail: `${named.name}: ${words(before)} → ${words(role)}`
  })
}

/** Revokes the open invitations of a person who is no longer an admin. */
function changeRole(store: Store, { id, role, by }: { id: number; role: Role; by?: number | undefined }): void {
  const before = getRole(store, id)
  if (before === role) return
  if (role !== 'admin') store.write(toRevocation('made_by = ?'), Date.now(), id)
  store.write('UPDATE person SET role = ? WHERE id = ?', role, id)
  recordAudit(store, 'role-changed', { who: by, person: id, detail: `${before} → ${role}` })
}

/**
 * Removes a person, ends their sessions and revokes their open invitations.
 * @throws InboxLastAdmin
 * @throws InboxPersonNotFound
 */
export function removePerson(store: Store, { id, by }: { id: number; by?: Who }): void {
  const at = Date.now()
  if (getRole(store, id) === 'admin') refuseLastAdmin(store, id)
  store.write(toRevocation('made_by = ?'), at, id)
  revokeSignInLinks(store, id)
  store.write('DELETE FROM person_session WHERE person = ?', id)
  store.write('DELETE FROM saved_search WHERE person = ?', id)
  store.write('UPDATE issue SET assignee = NULL WHERE assignee = ?', id)
  store.write('DELETE FROM issue_follower WHERE person = ?', id)
  removeOwnMail(store, id)
  store.write('UPDATE person SET removed = ?, password = NULL WHERE id = ?', at, id)
  recordAudit(store, 'removed', { who: by, person: id })
}

/** @param by who ends it; undefined for the person who signs out there, which the audit log leaves out */
export function closePersonSession(store: Store, { hash, by }: { hash: string; by?: Who }): void {
  const found = store.get<{ person: number }>('SELECT person FROM person_session WHERE hash = ?', hash)
  if (!found) return
  store.write('DELETE FROM person_session WHERE hash = ?', hash)
  if (by !== undefined) recordAudit(store, 'sessions-ended', { who: by, person: found.person, detail: 'one' })
}

/**
 * Ends sessions, and revokes the open sign-in links of the same people.
 * @param person @default everybody @param except hash of a session to keep
 */
export function closePersonSessions(
  store: Store,
  { person, except = '', by }: { person?: number; except?: string; by?: Who }
): void {
  if (person === undefined) store.write('DELETE FROM person_session WHERE hash <> ?', except)
  else store.write('DELETE FROM person_session WHERE person = ? AND hash <> ?', person, except)
  revokeSignInLinks(store, person)
  recordAudit(store, 'sessions-ended', { who: by, person })
}

export function touchPersonSession(store: Store, { hash, at }: { hash: string; at: number }): void {
  store.write('UPDATE person_session SET last_seen = ? WHERE hash = ?', at, hash)
  store.write('UPDATE person SET last_seen = ? WHERE id = (SELECT person FROM person_session WHERE hash = ?)', at, hash)
}

/**
 * @param project the role is for this project only @default all
 * @param person existing person to let in again, with their current role; without it, the invitation is for a new
 * person
 * @throws InboxPersonNotFound
 */
export function createInvitation(
  store: Store,
  input: { hash: string; role: Role; project?: number; person?: number; madeBy: Who; expires: number }
): void {
  const { hash, role, project, person, madeBy, expires } = input
  if (person !== undefined) getRole(store, person)
  const named = project === undefined ? undefined : getProject(store, project).name
  removeExpired(store, trustedNow())
  writeRow(store, 'invitation', { hash, role, project, person, made_by: madeBy, created: Date.now(), expires })
  recordAudit(store, 'invited', { who: madeBy, person, detail: named === undefined ? role : `${named}: ${role}` })
}

export function revokeInvitation(store: Store, { hash, by }: { hash: string; by?: Who }): void {
  const { changes } = store.run(toRevocation('hash = ?'), Date.now(), hash)
  if (changes > 0) recordAudit(store, 'invitation-revoked', { who: by })
}

/**
 * Opens a session for the invited person.
 * @param name of a new person @param password hash of a new password, which ends the person's other sessions
 * @returns undefined if the invitation is unknown, used, revoked or expired
 * @throws InboxNameTaken
 */
export function acceptInvitation(
  store: Store,
  input: { hash: string; name: string; password?: string | undefined; session: NewPersonSession }
): { person: number; role: Role } | undefined {
  const { hash, name, password, session } = input
  const found = store.get<Invited & { person: number | null }>(
    `SELECT role, project, person, made_by AS madeBy FROM invitation WHERE hash = ? AND ${IS_OPEN} AND expires > ?`,
    hash,
    trustedNow()
  )
  if (!found) return undefined
  if (found.person === null && findByName(store, name)) throw new InboxNameTaken()
  const person = found.person ?? addInvited(store, name, found, session.at)
  store.write('UPDATE invitation SET used_by = ? WHERE hash = ?', person, hash)
  if (password !== undefined) setPassword(store, { id: person, password, keep: '' })
  openSession(store, person, session, 'invitation')
  return { person, role: getRole(store, person) }
}

function addPerson(store: Store, name: string, role: Role, at: number): number {
  return insertRow(store, 'person', { name, role, created: at })
}

/** Role of an invitation, in all projects or in one. */
interface Invited {
  role: Role
  project: number | null
  madeBy: number
}

function addInvited(store: Store, name: string, { role, project, madeBy }: Invited, at: number): number {
  if (project === null) return addPerson(store, name, role, at)
  const id = addPerson(store, name, 'none', at)
  changeProjectRole(store, { id, project, role, by: madeBy })
  return id
}

/** Keeps the sessions that INBOX_PASSWORD opened when the key of their fingerprint, a secret, changes. */
export function renewPasswordFingerprints(store: Store, { from, to }: { from: string[]; to: string }): void {
  for (const fingerprint of from)
    store.write('UPDATE person_session SET password_fingerprint = ? WHERE password_fingerprint = ?', to, fingerprint)
}

function removeSessionsOfOtherPasswords(store: Store, passwordFingerprints: readonly string[] = []): void {
  store.write(
    `DELETE FROM person_session WHERE password_fingerprint IS NOT NULL
       AND password_fingerprint NOT IN (SELECT value FROM json_each(?))`,
    JSON.stringify(passwordFingerprints)
  )
}

/** @param way how the person signed in, for the audit log */
function openSession(store: Store, person: number, session: NewPersonSession, way: string): void {
  const { hash, at, client, replaces, passwordFingerprints, expires } = session
  if (replaces !== undefined) closePersonSession(store, { hash: replaces })
  removeExpired(store, trustedNow())
  const fingerprint = passwordFingerprints?.[0]
  const times = { created: at, last_seen: at, expires }
  writeRow(store, 'person_session', { hash, person, client, password_fingerprint: fingerprint, ...times })
  recordAudit(store, 'signed-in', { who: person, detail: way })
  store.write('UPDATE person SET last_seen = ? WHERE id = ?', at, person)
}

function getRole(store: Store, id: number): Role {
  const person = store.get<{ role: Role }>('SELECT role FROM person WHERE id = ? AND removed IS NULL', id)
  if (!person) throw new InboxPersonNotFound()
  return person.role
}

function refuseLastAdmin(store: Store, id: number): void {
  const other = store.get("SELECT 1 FROM person WHERE role = 'admin' AND removed IS NULL AND id <> ?", id)
  if (!other) throw new InboxLastAdmin()
}

/** SQL for whether an invitation was neither accepted nor revoked. */
const IS_OPEN = 'used_by IS NULL AND revoked IS NULL'

/** SQL that revokes open invitations. Its first value is the time. @param which SQL condition */
const toRevocation = (which: string): string => `UPDATE invitation SET revoked = ? WHERE ${which} AND ${IS_OPEN}`

/** Revokes the open links that let people in again, but no invitation of a new person. @param person @default everybody */
function revokeSignInLinks(store: Store, person?: number): void {
  store.write(toRevocation('person = coalesce(?, person)'), Date.now(), person ?? null)
}
