import type { Grants } from '../access/roles.ts'
import type { TokenScope } from '../queries/people-types.ts'
import type { Role } from '../store/model.ts'
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

/** Changes of people, their sessions, invitations and tokens. */
export interface PeopleChanges {
  /**
   * Opens a session for the admin with this name and creates the admin if needed. Removes sessions that were opened
   * with another password.
   * @returns the person
   * @throws InboxNameTaken if a person who is no admin has this name, or a person of the sign-in service
   */
  signInAdmin: (input: { name: string; session: NewPersonSession }) => number
  /**
   * Opens a session for a person by the own password.
   * @param password hash that was compared
   * @returns undefined if the person was removed or the password changed meanwhile
   */
  signInPerson: (input: { person: number; password: string; session: NewPersonSession }) => number | undefined
  /**
   * Opens a session for a person of the sign-in service, who is added at the first time, and takes over the role.
   * @param subject issuer and subject
   * @returns the person
   * @throws InboxPersonRemoved
   */
  signInExternal: (input: { subject: string; name: string; session: NewPersonSession } & Grants) => number
  /**
   * Takes away the roles that the groups of a person gave, if there is such a person: sessions and tokens have none of
   * their rights any more.
   */
  withdrawGroupRoles: (input: { subject: string }) => void
  /**
   * Sets a person's password, ends their sessions, and revokes their open sign-in links.
   * @param password hash @param keep hash of the session that stays, which sets the password; empty for an invitation
   * @param replaces hash of the password before, null for none @default any
   * @returns false if the person has another password meanwhile, or the session has ended
   * @throws InboxPersonNotFound
   */
  setPassword: (input: { id: number; password: string; keep: string; replaces?: string | null }) => boolean
  /** @throws InboxNameTaken @throws InboxPersonNotFound */
  renamePerson: (input: { id: number; name: string }) => void
  /**
   * Changes a person's roles. Revokes the open invitations of a person who is no longer an admin.
   * @param role for all projects @default unchanged
   * @param projects roles for single projects, by their ids; undefined is the role for all projects. Projects that are
   * not named keep their role.
   * @throws InboxLastAdmin
   * @throws InboxPersonNotFound
   * @throws InboxProjectNotFound
   */
  setRoles: (input: {
    id: number
    role?: Role | undefined
    projects?: Readonly<Record<string, Role | undefined>>
    by?: Who | undefined
  }) => void
  /**
   * Removes a person, ends their sessions and revokes their open invitations.
   * @throws InboxLastAdmin
   * @throws InboxPersonNotFound
   */
  removePerson: (input: { id: number; by?: Who }) => void
  /** Keeps the sessions that INBOX_PASSWORD opened when the key of their fingerprint, a secret, changes. */
  renewPasswordFingerprints: (input: { from: string[]; to: string }) => void
  /** @param by who ends it; undefined for the person who signs out there, which the audit log leaves out */
  closePersonSession: (input: { hash: string; by?: Who }) => void
  /**
   * Ends sessions, and revokes the open sign-in links of the same people.
   * @param person @default everybody @param except hash of a session to keep
   */
  closePersonSessions: (input: { person?: number; except?: string; by?: Who }) => void
  touchPersonSession: (input: { hash: string; at: number }) => void
  /**
   * @param project the role is for this project only @default all
   * @param person existing person to let in again, with their current role; without it, the invitation is for a new
   * person
   * @throws InboxPersonNotFound
   */
  createInvitation: (input: {
    hash: string
    role: Role
    project?: number
    person?: number
    madeBy: Who
    expires: number
  }) => void
  revokeInvitation: (input: { hash: string; by?: Who }) => void
  /**
   * Opens a session for the invited person.
   * @param name of a new person @param password hash of a new password, which ends the person's other sessions
   * @returns undefined if the invitation is unknown, used, revoked or expired
   * @throws InboxNameTaken
   */
  acceptInvitation: (input: {
    hash: string
    name: string
    password?: string | undefined
    session: NewPersonSession
  }) => { person: number; role: Role } | undefined
  createToken: (input: { hash: string; name: string; scope: TokenScope; person: Who; at: number }) => void
  /** The token is refused from now on. */
  revokeToken: (input: { id: number; by?: Who }) => void
  touchToken: (input: { id: number; at: number }) => void
}
