import type { IssueState, Project, Role } from '../model.ts'

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
  addPerson: (input: { name: string; role: Role }) => number
  setRole: (input: { id: number; role: Role }) => void
  /** Signs them out everywhere as well. */
  removePerson: (input: { id: number }) => void
  openPersonSession: (input: { hash: string; person: number; client?: string }) => void
  closePersonSession: (input: { hash: string }) => void
  closePersonSessions: (input: { person: number; except?: string }) => void
  touchPersonSession: (input: { hash: string; at: number }) => void
  createInvitation: (input: { hash: string; role: Role; madeBy: Who; expires: number }) => void
  revokeInvitation: (input: { hash: string }) => void
  /** @returns the person, or undefined where the invitation is unknown, used, revoked or too old */
  acceptInvitation: (input: { hash: string; name: string; at: number }) => { person: number; role: Role } | undefined
}
