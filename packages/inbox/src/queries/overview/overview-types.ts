import type { Storage } from './health-types.ts'
import type { IssueRow } from '../issues/issue-types.ts'

/** Hourly or longer series. */
export interface Series {
  /** Start of the first hour, milliseconds since the epoch. */
  start: number
  /** Milliseconds between two points. */
  step: number
  /** null for points without data. */
  points: (number | null)[]
}

export interface ReleaseMarker {
  version: string
  at: number
}

export interface Overview {
  /** Errors per hour. */
  errors: { total: number; series: Series }
  /** Affected visitors, each counted once a day in each environment and release. */
  visitors: { total: number; series: Series }
  /** Share of sessions without a crash, from 0 to 1; undefined without sessions. */
  crashFree: { share?: number; sessions: number; series: Series }
  /** p75 in milliseconds. */
  inp: { p75?: number; series: Series }
  lcp: { p75?: number; series: Series }
  /** p95 on the server, in milliseconds. */
  server: { p95?: number; requests: number; series: Series }
  /** Those first seen in the view's range, oldest first. */
  releases: ReleaseMarker[]
  /** Version of the newest release of each project that has releases, each once. */
  newest: string[]
  newInRelease: IssueRow[]
  regressed: IssueRow[]
  mostFrequent: IssueRow[]
  /** Whether any item was ever received. */
  isEmpty: boolean
  /** Undefined for a person who does not see all projects. */
  storage?: Storage
}
