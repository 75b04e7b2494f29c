import type { IssueSort } from '../queries/issues/issue-types.ts'
import type { Project } from '../store/model.ts'
import type { Repository } from '../web/repository.ts'
import type { AlertChanges } from './alert-types.ts'
import type { Author, Who } from './author.ts'
import type { IssueChanges } from './issue-types.ts'
import type { PeopleChanges } from './people-types.ts'
import type { ReleaseChanges } from './release-types.ts'

/** Mutations. Each takes a writable store and runs inside one transaction. */
export interface Changes extends IssueChanges, PeopleChanges, ReleaseChanges, AlertChanges {
  /**
   * Saves a search of the list of issues under a name, for the person or for everybody.
   * @param project project to search @default all
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
   * @param repository @default none, which removes the links
   * @throws InboxRepositoryInvalid
   */
  setRepository: (input: Author & { id: number; repository?: Repository }) => void
  /** Creates a new key; the old one is refused from now on. */
  renewKey: (input: Author & { id: number }) => Project
  /** Stops accepting envelopes for the project. The application's own project (1) cannot be removed. */
  removeProject: (input: Author & { id: number }) => void
  /** Deletes a monitor. The job's next check-in creates it again, without its history. @throws InboxMonitorNotFound */
  deleteMonitor: (input: Author & { id: number }) => void
}

/** Input of a mutation. */
export type Input<Name extends keyof Changes> = Parameters<Changes[Name]>[0]
