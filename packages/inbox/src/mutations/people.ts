import { InboxLastAdmin, InboxNameTaken, InboxPersonNotFound } from '../errors.ts'
import { trustedNow } from '@hull/common/trusted-clock.ts'
import { removeExpired } from '../access/expiry.ts'
import { foldName } from '../access/person-name.ts'
import type { Role } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import type { Changes, NewPersonSession } from './types.ts'

type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]

interface PersonOfName {
  id: number
  name: string
  role: Role
}

export function signInAdmin(store: Store, { name, session }: Input<'signInAdmin'>): number {
  const known = findByName(store, name)
  if (known && known.role !== 'admin') throw new InboxNameTaken()
  const person = known?.id ?? addPerson(store, name, 'admin', session.at)
  removeSessionsOfOtherPasswords(store, session.passwordFingerprint)
  openSession(store, person, session)
  return person
}

export function renamePerson(store: Store, { id, name }: Input<'renamePerson'>): void {
  getRole(store, id)
  const known = findByName(store, name)
  if (known && known.id !== id) throw new InboxNameTaken()
  store.run('UPDATE person SET name = ? WHERE id = ?', name, id)
}

export function setRole(store: Store, { id, role }: Input<'setRole'>): void {
  if (getRole(store, id) === role) return
  if (role !== 'admin') {
    refuseLastAdmin(store, id)
    revokeMadeBy(store, id)
  }
  store.run('UPDATE person SET role = ? WHERE id = ?', role, id)
}

export function removePerson(store: Store, { id }: Input<'removePerson'>): void {
  const at = Date.now()
  if (getRole(store, id) === 'admin') refuseLastAdmin(store, id)
  revokeMadeBy(store, id)
  store.run('UPDATE invitation SET revoked = ? WHERE person = ? AND used_by IS NULL AND revoked IS NULL', at, id)
  store.run('DELETE FROM person_session WHERE person = ?', id)
  store.run('UPDATE person SET removed = ? WHERE id = ?', at, id)
}

export function closePersonSession(store: Store, { hash }: Input<'closePersonSession'>): void {
  store.run('DELETE FROM person_session WHERE hash = ?', hash)
}

export function closePersonSessions(store: Store, { person, except = '' }: Input<'closePersonSessions'>): void {
  if (person === undefined) store.run('DELETE FROM person_session WHERE hash <> ?', except)
  else store.run('DELETE FROM person_session WHERE person = ? AND hash <> ?', person, except)
}

export function touchPersonSession(store: Store, { hash, at }: Input<'touchPersonSession'>): void {
  store.run('UPDATE person_session SET last_seen = ? WHERE hash = ?', at, hash)
  store.run('UPDATE person SET last_seen = ? WHERE id = (SELECT person FROM person_session WHERE hash = ?)', at, hash)
}

export function createInvitation(store: Store, input: Input<'createInvitation'>): void {
  const { hash, role, person, madeBy, expires } = input
  const at = Date.now()
  if (person !== undefined) getRole(store, person)
  removeExpired(store, trustedNow())
  store.run(
    'INSERT INTO invitation (hash, role, person, made_by, created, expires) VALUES (?, ?, ?, ?, ?, ?)',
    hash,
    role,
    person ?? null,
    madeBy,
    at,
    expires
  )
}

export function revokeInvitation(store: Store, { hash }: Input<'revokeInvitation'>): void {
  store.run(
    'UPDATE invitation SET revoked = ? WHERE hash = ? AND used_by IS NULL AND revoked IS NULL',
    Date.now(),
    hash
  )
}

export function acceptInvitation(
  store: Store,
  { hash, name, session }: Input<'acceptInvitation'>
): { person: number; role: Role } | undefined {
  const found = store.get<{ role: Role; person: number | null }>(
    'SELECT role, person FROM invitation WHERE hash = ? AND used_by IS NULL AND revoked IS NULL AND expires > ?',
    hash,
    trustedNow()
  )
  if (!found) return undefined
  if (found.person === null && findByName(store, name)) throw new InboxNameTaken()
  const person = found.person ?? addPerson(store, name, found.role, session.at)
  store.run('UPDATE invitation SET used_by = ? WHERE hash = ?', person, hash)
  openSession(store, person, session)
  return { person, role: getRole(store, person) }
}

function addPerson(store: Store, name: string, role: Role, at: number): number {
  return store.run('INSERT INTO person (name, role, created) VALUES (?, ?, ?)', name, role, at).id
}

function removeSessionsOfOtherPasswords(store: Store, passwordFingerprint = ''): void {
  store.run('DELETE FROM person_session WHERE password_fingerprint <> ?', passwordFingerprint)
}

function openSession(store: Store, person: number, session: NewPersonSession): void {
  const { hash, at, client, replaces, passwordFingerprint } = session
  if (replaces !== undefined) closePersonSession(store, { hash: replaces })
  removeExpired(store, trustedNow())
  store.run(
    `INSERT INTO person_session (hash, person, created, last_seen, client, password_fingerprint)
     VALUES (?, ?, ?, ?, ?, ?)`,
    hash,
    person,
    at,
    at,
    client ?? null,
    passwordFingerprint ?? null
  )
  store.run('UPDATE person SET last_seen = ? WHERE id = ?', at, person)
}

function findByName(store: Store, name: string): PersonOfName | undefined {
  const people = store.all<PersonOfName>('SELECT id, name, role FROM person WHERE removed IS NULL')
  return people.find((person) => foldName(person.name) === foldName(name))
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

function revokeMadeBy(store: Store, person: number): void {
  store.run(
    'UPDATE invitation SET revoked = ? WHERE made_by = ? AND used_by IS NULL AND revoked IS NULL',
    Date.now(),
    person
  )
}
