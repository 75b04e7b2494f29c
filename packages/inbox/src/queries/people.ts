import { trustedNow } from '@hull/common/trusted-clock.ts'
import { SESSION_IDLE } from '../access/times.ts'
import type { Store } from '../store/store.ts'
import { toPlain } from './plain-row.ts'
import type { InvitationRow, PersonRow, PersonSession, PersonSessionRow } from './people-types.ts'

const INVITATIONS = `
  SELECT invitation.hash, invitation.role, again.name AS person, maker.name AS madeBy, invitation.created, expires
  FROM invitation JOIN person AS maker ON maker.id = made_by LEFT JOIN person AS again ON again.id = invitation.person
  WHERE used_by IS NULL AND revoked IS NULL AND expires > ?`

export function listPeople(store: Store): PersonRow[] {
  return store
    .all(
      `SELECT id, name, role, created, last_seen AS lastSeen,
         (SELECT count(*) FROM person_session WHERE person = person.id AND person_session.last_seen > ?) AS sessions
       FROM person WHERE removed IS NULL ORDER BY name COLLATE NOCASE, id`,
      trustedNow() - SESSION_IDLE
    )
    .map(toPlain<PersonRow>)
}

export function findPersonSession(
  store: Store,
  { hash, passwordFingerprint }: { hash: string; passwordFingerprint?: string }
): PersonSession | undefined {
  const found = store.get(
    `SELECT person.id AS person, name, role, person_session.created, person_session.last_seen AS lastSeen
     FROM person_session JOIN person ON person.id = person
     WHERE hash = ? AND removed IS NULL AND person_session.last_seen > ?
       AND (password_fingerprint IS NULL OR password_fingerprint = ?)`,
    hash,
    trustedNow() - SESSION_IDLE,
    passwordFingerprint ?? null
  )
  return found && toPlain<PersonSession>(found)
}

export function listPersonSessions(store: Store, { person }: { person: number }): PersonSessionRow[] {
  return store
    .all(
      `SELECT hash, created, last_seen AS lastSeen, client FROM person_session
       WHERE person = ? AND last_seen > ? ORDER BY last_seen DESC, hash`,
      person,
      trustedNow() - SESSION_IDLE
    )
    .map(toPlain<PersonSessionRow>)
}

export function listInvitations(store: Store): InvitationRow[] {
  return store
    .all(`${INVITATIONS} ORDER BY invitation.created DESC, invitation.hash`, trustedNow())
    .map(toPlain<InvitationRow>)
}

export function findInvitation(store: Store, { hash }: { hash: string }): InvitationRow | undefined {
  const found = store.get(`${INVITATIONS} AND invitation.hash = ?`, trustedNow(), hash)
  return found && toPlain<InvitationRow>(found)
}
