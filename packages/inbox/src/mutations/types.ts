import type { AttemptResult } from '../alerts/deliveries.ts'
import type { ChannelKind, DueMessage, RuleKind, ThresholdSubject } from '../alerts/types.ts'
import type { Grants } from '../access/roles.ts'
import type { TokenScope } from '../queries/people-types.ts'
import type { IssueSort } from '../queries/issue-types.ts'
import type { Repository } from '../web/repository.ts'
import type { IssueState, Project, Role } from '../store/model.ts'

/** The person who makes a change, by id. */
export type Who = number

/**
 * Issues to change, at most 1,000, with the version that the user saw; without a version, the change is made in any
 * case. Deleted issues, and issues that the change does not apply to, are not in `changed`.
 */
export interface Selection {
  issues: { id: number; version?: number }[]
  who: Who
}

export interface Changed {
  /** Ids of the changed issues. */
  changed: number[]
  /** Ids of issues that somebody else changed in the meantime; they were not changed again. */
  conflicts: { id: number; state: IssueState; who?: string; at: number }[]
  /** Activity entries, for {@link Changes.undo}. */
  undo: number[]
}

export interface NewPersonSession {
  hash: string
  /** Milliseconds since the epoch. */
  at: number
  /** Client description, such as `Firefox on Linux`. */
  client?: string
  /** Hash of the browser's previous session, which is closed. */
  replaces?: string
  /** Keyed fingerprint of the password that opened the session; undefined for a link. */
  passwordFingerprint?: string
  /** Milliseconds since the epoch at which the session ends in any case. @default never */
  expires?: number
}

/** Values of a channel that an admin sets. */
export interface ChannelInput {
  name: string
  /** URL of a webhook, or a mail address. */
  target: string
  /** Minutes after a message for which further changes are gathered into the next one. */
  groupMinutes: number
  /** Begin and end of the quiet hours, such as `22:00`; both empty for none. */
  quietFrom: string
  quietUntil: string
  /** IANA time zone of the quiet hours. */
  zone: string
}

export interface RuleInput {
  project: number
  kind: RuleKind
  channel: number
}

/** Values of a threshold that an admin can change. */
export interface ThresholdInput extends Pick<ThresholdSubject, 'bound' | 'minimum'> {
  channel: number
  /** Whether a message follows when the figure is back. */
  tellsEnd: boolean
}

/** Person who makes a change, for the audit log. */
export interface Author {
  /** @default code of the application */
  by?: Who | undefined
}

/** Person in whose name a build tool makes a change. */
export interface TokenAuthor extends Author {
  /** Name of the tool's token. */
  token?: string | undefined
}

export interface ReleaseCommit {
  id: string
  /** First line of the message. */
  title: string
  author?: string | undefined
  /** Milliseconds since the epoch. */
  at?: number | undefined
}

/** Mutations. Each takes a writable store and runs inside one transaction. */
export interface Changes {
  resolveIssues: (input: Selection & { inNext?: boolean }) => Changed
  /**
   * Ignores issues: until that many more events, until a time, or forever if neither is given.
   * @param events number of further events
   * @param until milliseconds since the epoch
   * @throws InboxIgnoreInvalid
   */
  ignoreIssues: (input: Selection & { events?: number; until?: number }) => Changed
  reopenIssues: (input: Selection) => Changed
  /**
   * Assigns issues to a person who can read their projects. A state that was changed meanwhile is no conflict.
   * @param assignee null for nobody
   * @throws InboxAssigneeInvalid
   */
  assignIssues: (input: Selection & { assignee: number | null }) => Changed
  /**
   * Moves all events, keys and counts of the other issues into `into`.
   * @throws InboxMergeProjects
   * @throws InboxIssueBusy
   */
  mergeIssues: (input: Selection & { into: number }) => Changed
  /**
   * Splits the events of one grouping key off into an issue, under its former id if that is free.
   * @throws InboxIssueNotFound
   * @throws InboxKeyAlone
   * @throws InboxIssueBusy
   */
  unmergeKey: (input: { issue: number; key: number; who: Who }) => { issue: number; changed: number[] }
  /** Deletes issues with all their data. A later event creates a new issue. @throws InboxIssueBusy */
  deleteIssues: (input: Selection) => { deleted: number[]; conflicts: Changed['conflicts'] }
  /** Undoes a change of state or a merge. Issues that changed since are reported as conflicts. */
  undo: (input: { activities: number[]; who: Who }) => Changed
  /**
   * Adds a comment to an issue's activity.
   * @returns the entry's id
   * @throws InboxIssueNotFound
   * @throws InboxCommentInvalid
   */
  addComment: (input: { issue: number; text: string; who: Who }) => number
  /**
   * Replaces the text of an own comment.
   * @throws InboxCommentNotFound
   * @throws InboxCommentForeign
   * @throws InboxCommentInvalid
   */
  changeComment: (input: { issue: number; comment: number; text: string; who: Who }) => void
  /** Tells a person of further changes of an issue. @throws InboxIssueNotFound */
  followIssue: (input: { issue: number; who: Who }) => void
  unfollowIssue: (input: { issue: number; who: Who }) => void
  /**
   * Sets where a person receives mails about followed issues, and ends an earlier unsubscription. A code is sent to a
   * new address, which receives nothing else until {@link confirmOwnMail}.
   * @param address empty for no mails
   * @throws InboxMailInvalid
   */
  setOwnMail: (input: { person: Who; address: string; now: number; baseUrl?: string }) => void
  /** Confirms a person's address with the code that was sent to it. @throws InboxMailCodeWrong */
  confirmOwnMail: (input: { person: Who; code: string }) => void
  /** Deletes an own comment. @throws InboxCommentNotFound @throws InboxCommentForeign */
  removeComment: (input: { issue: number; comment: number; who: Who }) => void
  /**
   * Keeps a search of the list of issues under a name, for the person or for everybody.
   * @param project that it searches
   * @default all
   * @returns the search's id
   * @throws InboxSearchInvalid
   * @throws InboxSearchNameTaken
   * @throws InboxSearchTooMany
   */
  saveSearch: (input: {
    name: string
    query: string
    sort: IssueSort
    project?: number | undefined
    isShared: boolean
    who: Who
  }) => number
  /** @throws InboxSearchInvalid @throws InboxSearchNameTaken @throws InboxSearchNotFound also for others' own searches */
  renameSearch: (input: { id: number; name: string; who: Who }) => void
  /** @throws InboxSearchNotFound also for others' own searches */
  removeSearch: (input: { id: number; who: Who }) => void
  createProject: (input: Author & { name: string }) => Project
  renameProject: (input: Author & { id: number; name: string }) => void
  /**
   * Links the source of a project's errors.
   * @param repository
   * @default removes the links
   * @throws InboxRepositoryInvalid
   */
  setRepository: (input: Author & { id: number; repository?: Repository }) => void
  /** Creates a new key; the old one is refused from now on. */
  renewKey: (input: Author & { id: number }) => Project
  /** Stops accepting envelopes for the project. The application's own project (1) cannot be removed. */
  removeProject: (input: Author & { id: number }) => void
  /**
   * Adds to a release.
   * @param creates whether each of the projects then has the release; otherwise only those that have it are changed
   * @param commits newest first; replaces those of before
   * @throws InboxReleaseNotFound
   * @throws InboxReleasesFull
   */
  declareRelease: (
    input: TokenAuthor & {
      version: string
      projects: number[]
      creates: boolean
      /** Milliseconds since the epoch at which it was finalized. */
      released?: number | undefined
      commit?: string | undefined
      commits?: ReleaseCommit[] | undefined
      at: number
    }
  ) => void
  /**
   * Records that a release was deployed, in those of the projects that have it.
   * @throws InboxReleaseNotFound
   */
  addDeploy: (
    input: TokenAuthor & {
      version: string
      projects: number[]
      environment: string
      name?: string | undefined
      url?: string | undefined
      started?: number | undefined
      finished: number
    }
  ) => void
  /** Stores a part of a bundle. Above `maxBytes` of all parts, the oldest are deleted. */
  addChunk: (input: { sha1: string; body: Uint8Array; maxBytes: number; at: number }) => void
  /**
   * Deletes the parts of a bundle that is complete, or was refused.
   * @param release empty without one @param maps number of stored maps
   */
  endUpload: (input: TokenAuthor & { sha1s: string[]; projects: number[]; release: string; maps: number }) => void
  /** Stores an uploaded source map. Above the limit of all maps, those of the least used releases are deleted. */
  addUploadedMap: (input: {
    projects: number[]
    /** Empty without a release. */
    release: string
    /** Empty without a debug id. */
    debugId: string
    /** Path of the code. */
    file: string
    /** Hash of the map. */
    map: string
    /** Bytes of the map. */
    size: number
    /** The map, compressed by zstd. */
    body: Uint8Array
    at: number
  }) => void
  /** Deletes a monitor. The job's next check-in creates it again, without its history. @throws InboxMonitorNotFound */
  deleteMonitor: (input: Author & { id: number }) => void
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
   * Sets a person's password and ends their sessions.
   * @param password hash @param keep hash of the session that stays
   * @throws InboxPersonNotFound
   */
  setPassword: (input: { id: number; password: string; keep: string }) => void
  createToken: (input: { hash: string; name: string; scope: TokenScope; person: Who; at: number }) => void
  /** The token is refused from now on. */
  revokeToken: (input: { id: number; by?: Who }) => void
  touchToken: (input: { id: number; at: number }) => void
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
  /** Keeps the sessions that INBOX_PASSWORD opened, when the secret changes that is the key of its fingerprint. */
  renewPasswordFingerprints: (input: { from: string[]; to: string }) => void
  /** @param by who ends it; undefined for the person who signs out there, which the audit log leaves out */
  closePersonSession: (input: { hash: string; by?: Who }) => void
  /** @param person @default everybody @param except hash of a session to keep */
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
  /** @returns the channel's id. @throws InboxChannelInvalid */
  createChannel: (input: ChannelInput & Author & { kind: ChannelKind }) => number
  /** @throws InboxChannelInvalid @throws InboxChannelNotFound */
  changeChannel: (input: ChannelInput & Author & { id: number }) => void
  /** Creates a new secret; messages are no longer signed with the old one. @throws InboxChannelNotFound */
  renewChannelSecret: (input: Author & { id: number }) => void
  /** Removes a channel with its rules, thresholds and waiting messages. @throws InboxChannelNotFound */
  removeChannel: (input: Author & { id: number }) => void
  /**
   * Puts a test message into the delivery log, to be sent at once.
   * @throws InboxChannelNotFound
   */
  testChannel: (input: { id: number; now: number; baseUrl?: string }) => void
  /** Ends the mails of a channel, by the token of its link. Ignores a wrong token. */
  unsubscribe: (input: { id: number; token: string; now: number }) => void
  /** Sends to a channel again that a reader has unsubscribed from. @throws InboxChannelNotFound */
  resumeChannel: (input: Author & { id: number }) => void
  /** @throws InboxRuleInvalid */
  createRule: (input: RuleInput & Author) => void
  removeRule: (input: Author & { id: number }) => void
  /** @returns the threshold's id. @throws InboxThresholdInvalid */
  createThreshold: (input: ThresholdSubject & ThresholdInput & Author & { project: number }) => number
  /** @throws InboxThresholdInvalid @throws InboxThresholdNotFound */
  changeThreshold: (input: ThresholdInput & Author & { id: number }) => void
  /** Switches a threshold on or off. It does not fire while it is off. @throws InboxThresholdNotFound */
  enableThreshold: (input: Author & { id: number; isEnabled: boolean }) => void
  /** @throws InboxThresholdNotFound */
  removeThreshold: (input: Author & { id: number }) => void
  /**
   * Gathers recorded changes into messages, and claims those that are due: no other process sends them for a minute.
   * @param now milliseconds since the epoch @param checksThresholds whether to compare thresholds with their figures
   * @param baseUrl origin of links
   */
  prepareAlerts: (input: { now: number; checksThresholds?: boolean; baseUrl?: string }) => DueMessage[]
  /** Records the result of an attempt. */
  recordAlert: (input: AttemptResult) => void
  /** Sends a dead message again. @throws InboxDeliveryNotFound */
  retryAlert: (input: { id: string; now: number }) => void
}
