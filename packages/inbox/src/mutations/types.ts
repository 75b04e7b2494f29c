import type { IssueState, Project, Role } from '../store/model.ts'

/** Who changes something: a person's id. */
export type Who = number

/**
 * Issues as they were seen, 1,000 at most; without a version the change is made whatever happened since. Those that are
 * gone, or for which the change makes no sense, are not among the `changed`.
 */
export interface Selection {
  issues: { id: number; version?: number }[]
  who: Who
}

export interface Changed {
  /** Issues that changed. */
  changed: number[]
  /** Issues that somebody else changed meanwhile: left as they are. */
  conflicts: { id: number; state: IssueState; who?: string; at: number }[]
  /** Activity entries that {@link Changes.undo} takes. */
  undo: number[]
}

export interface NewPersonSession {
  hash: string
  /** Milliseconds since the epoch. */
  at: number
  /** By what they came, such as `Firefox on Linux`. */
  client?: string
  /** Hash of the session that the same browser had before; it is closed. */
  replaces?: string
  /** Keyed fingerprint of the password by which they came; undefined for a link. */
  passwordFingerprint?: string
}

/** What people change. Each takes a store that may write, inside one transaction. */
export interface Changes {
  resolveIssues: (input: Selection & { inNext?: boolean }) => Changed
  /** Without `events` and `until`: for ever. @throws InboxIgnoreInvalid @param events that many more @param until milliseconds since the epoch */
  ignoreIssues: (input: Selection & { events?: number; until?: number }) => Changed
  reopenIssues: (input: Selection) => Changed
  /** All events, keys and figures of the others become those of `into`. @throws InboxMergeProjects, InboxIssueBusy */
  mergeIssues: (input: Selection & { into: number }) => Changed
  /**
   * What came by this key becomes an issue of its own again, under its former id where that is free.
   * @throws InboxIssueNotFound, InboxKeyAlone, InboxIssueBusy
   */
  unmergeKey: (input: { issue: number; key: number; who: Who }) => { issue: number; changed: number[] }
  /** With everything that belongs to them; a later event starts anew. @throws InboxIssueBusy */
  deleteIssues: (input: Selection) => { deleted: number[]; conflicts: Changed['conflicts'] }
  /** Takes a change of state or a merge back, unless something else happened since: that is a conflict. */
  undo: (input: { activities: number[]; who: Who }) => Changed
  createProject: (input: { name: string }) => Project
  renameProject: (input: { id: number; name: string }) => void
  /** The old key is refused from now on. */
  renewKey: (input: { id: number }) => Project
  /** Takes no more from it; the application's own (1) cannot be removed. */
  removeProject: (input: { id: number }) => void
  /**
   * Opens a session for the admin of a name, and makes the admin where there is none. Sessions that were opened by
   * another password are removed.
   * @returns the person @throws InboxNameTaken where a viewer has the name
   */
  signInAdmin: (input: { name: string; session: NewPersonSession }) => number
  /** @throws InboxNameTaken, InboxPersonNotFound */
  renamePerson: (input: { id: number; name: string }) => void
  /** Invitations made by somebody who is no admin any more are revoked. @throws InboxLastAdmin, InboxPersonNotFound */
  setRole: (input: { id: number; role: Role }) => void
  /** Signs them out everywhere, and revokes the invitations they made. @throws InboxLastAdmin, InboxPersonNotFound */
  removePerson: (input: { id: number }) => void
  closePersonSession: (input: { hash: string }) => void
  /** @param person @default everybody @param except hash of a session that stays open */
  closePersonSessions: (input: { person?: number; except?: string }) => void
  touchPersonSession: (input: { hash: string; at: number }) => void
  /** @param person who is let in again, with the role they have then; without it somebody new @throws InboxPersonNotFound */
  createInvitation: (input: { hash: string; role: Role; person?: number; madeBy: Who; expires: number }) => void
  revokeInvitation: (input: { hash: string }) => void
  /**
   * Opens a session for whoever was invited.
   * @param name of somebody new
   * @returns undefined where the invitation is unknown, used, revoked or too old @throws InboxNameTaken
   */
  acceptInvitation: (input: {
    hash: string
    name: string
    session: NewPersonSession
  }) => { person: number; role: Role } | undefined
}
