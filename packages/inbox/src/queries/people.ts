import { trustedNow } from '@hull/common/trusted-clock.ts'
import { SESSION_IDLE } from '../access/times.ts'
import type { Row, Store } from '../store/store.ts'
import { toPlain } from './plain-row.ts'
import { findByName, PROJECT_ROLES } from '../store/people.ts'
import {
  MAX_AUDIT_ENTRIES,
  type AuditRow,
  type InvitationRow,
  type PersonRow,
  type PersonSession,
  type PersonSessionRow
} from './people-types.ts'

const INVITATIONS = `
  SELECT invitation.hash, invitation.role, invitation.project, again.name AS person, maker.name AS madeBy, invitation.created, expires
  FROM invitation JOIN person AS maker ON maker.id = made_by LEFT JOIN person AS again ON again.id = invitation.person
  WHERE used_by IS NULL AND revoked IS NULL AND expires > ?`

/** How the person signs in, as 0 or 1. */
const WAYS = 'subject IS NOT NULL AS isExternal, password IS NOT NULL AS hasPassword'

const toPerson = <T>(row: Row): T => ({
  ...toPlain<T>(row),
  projects: JSON.parse(row.projects as string),
  isExternal: row.isExternal === 1,
  hasPassword: row.hasPassword === 1
})

/** SQL for a session that has neither ended nor expired; its values are those of {@link validityOf}. */
const IS_VALID = `person_session.last_seen > ? AND (expires IS NULL OR expires > ?)
  AND (password_fingerprint IS NULL OR password_fingerprint IN (SELECT value FROM json_each(?)))`

const validityOf = (passwordFingerprints: readonly string[] = []) => [
  trustedNow() - SESSION_IDLE,
  trustedNow(),
  JSON.stringify(passwordFingerprints)
]

/** @param passwordFingerprints see {@link findPersonSession}, for the number of sessions */
export function listPeople(
  store: Store,
  { passwordFingerprints }: { passwordFingerprints?: readonly string[] } = {}
): PersonRow[] {
  return store
    .all(
      `SELECT id, name, role, created, last_seen AS lastSeen, ${WAYS}, ${PROJECT_ROLES},
         (SELECT count(*) FROM person_session WHERE person = person.id AND ${IS_VALID}) AS sessions
       FROM person WHERE removed IS NULL ORDER BY lower(name), id`,
      ...validityOf(passwordFingerprints)
    )
    .map(toPerson<PersonRow>)
}

/**
 * Undefined if the session was revoked or unused for 30 days, if its person was removed, or if it was opened with
 * another password.
 * @param passwordFingerprints of the current password, with the secret of each replica; without one, sessions opened
 * with a password are not found
 */
export function findPersonSession(
  store: Store,
  { hash, passwordFingerprints }: { hash: string; passwordFingerprints?: readonly string[] }
): PersonSession | undefined {
  const found = store.get(
    `SELECT person.id AS person, name, role, ${WAYS}, ${PROJECT_ROLES}, person_session.created, person_session.last_seen AS lastSeen
     FROM person_session JOIN person ON person.id = person WHERE hash = ? AND removed IS NULL AND ${IS_VALID}`,
    hash,
    ...validityOf(passwordFingerprints)
  )
  return found && toPerson<PersonSession>(found)
}

/**
 * Those that {@link findPersonSession} finds, last used first.
 * @param passwordFingerprints as there
 */
export function listPersonSessions(
  store: Store,
  { person, passwordFingerprints }: { person: number; passwordFingerprints?: readonly string[] }
): PersonSessionRow[] {
  return store
    .all(
      `SELECT hash, created, last_seen AS lastSeen, client FROM person_session
       WHERE person = ? AND ${IS_VALID} ORDER BY last_seen DESC, hash`,
      person,
      ...validityOf(passwordFingerprints)
    )
    .map(toPlain<PersonSessionRow>)
}

/** Invitations that can still be accepted, newest first. */
export function listInvitations(store: Store): InvitationRow[] {
  return store
    .all(`${INVITATIONS} ORDER BY invitation.created DESC, invitation.hash`, trustedNow())
    .map(toPlain<InvitationRow>)
}

/** Undefined if it is unknown, used, revoked or expired. */
export function findInvitation(store: Store, { hash }: { hash: string }): InvitationRow | undefined {
  const found = store.get(`${INVITATIONS} AND invitation.hash = ?`, trustedNow(), hash)
  return found && toPlain<InvitationRow>(found)
}

/** Hash of the password of the person with this name; undefined if there is none. */
export function findPassword(store: Store, { name }: { name: string }): { person: number; hash: string } | undefined {
  const known = findByName(store, name)
  return known?.password == null ? undefined : { person: known.id, hash: known.password }
}

/** Whether anybody has a password. */
export const hasPasswords = (store: Store): boolean =>
  store.get('SELECT 1 FROM person WHERE password IS NOT NULL AND removed IS NULL LIMIT 1') !== undefined

/** Newest first, at most 100. @param before id of the entry after which the list begins */
export function listAudit(store: Store, { before = Number.MAX_SAFE_INTEGER }: { before?: number }): AuditRow[] {
  return store
    .all(
      `SELECT audit.id, at, kind, actor.name AS who, subject.name AS person, detail
       FROM audit LEFT JOIN person AS actor ON actor.id = who LEFT JOIN person AS subject ON subject.id = audit.person
       WHERE audit.id < ? ORDER BY audit.id DESC LIMIT ${MAX_AUDIT_ENTRIES}`,
      before
    )
    .map(toPlain<AuditRow>)
}
