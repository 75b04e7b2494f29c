import type { ReleaseCommit } from '../../mutations/release-types.ts'
import type { Series } from '../overview/overview-types.ts'

export interface ReleaseRow {
  id: number
  project: number
  version: string
  /** Commit that the application stated, or that the version names. */
  commit?: string
  /** Address of the commit in the project's repository. */
  commitHref?: string
  firstSeen: number
  lastSeen: number
  sessions: number
  crashFree?: number
  newIssues: number
  regressions: number
  errors: number
  /** Share of the sessions of the 24 hours before the end of the view, from 0 to 1. */
  adoption?: number
  series: Series
  /** Commits that a build tool sent, newest first. */
  commits?: CommitRow[]
  /** Last deploy to each environment, newest first. */
  deploys?: DeployRow[]
}

export interface CommitRow extends ReleaseCommit {
  /** Address of the commit in the project's repository. */
  href?: string
}

export interface DeployRow {
  id: number
  environment: string
  name?: string
  url?: string
  /** Milliseconds since the epoch. */
  started?: number
  /** Milliseconds since the epoch. */
  finished: number
}

/** A release as build tools see it: of all projects with the version. */
export interface ReleaseInfo {
  id: number
  version: string
  created: number
  lastSeen: number
  /** Milliseconds since the epoch; null if it was not finalized. */
  released: number | null
  newIssues: number
  projects: number[]
  commit: string | null
  /** Number of commits, and of deploys. */
  commits: number
  deploys: number
}
