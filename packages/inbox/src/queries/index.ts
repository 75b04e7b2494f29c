import { listThresholds } from '../alerts/thresholds.ts'
import type { Store } from '../store/store.ts'
import * as alerts from './alerts.ts'
import { listComments } from './issues/activity.ts'
import { findEvents } from './issues/event-search.ts'
import { askEvent, askOptionalEvent, getAttachment } from './issues/event.ts'
import { listEvents } from './issues/events.ts'
import { isSearch, listFeedback } from './feedback.ts'
import { getHealth } from './overview/health.ts'
import type { View } from '../store/model.ts'
import { isNarrowed } from './issues/issue-events.ts'
import { askIssueDetail, askIssueSeries, findMerged } from './issues/issue.ts'
import { listIssues } from './issues/issues.ts'
import { locate } from './locate.ts'
import { listLogs } from './logs.ts'
import { askOverview, isLong } from './overview/overview.ts'
import { findProjects } from './issues/require-issue.ts'
import { getPreviousRelease, getRelease, listDeploys } from './releases/release-info.ts'
import { askReleaseRows } from './releases/releases.ts'
import { listSavedSearches } from './issues/saved-searches.ts'
import { askRepository } from './releases/repository.ts'
import { getHeatMap, listRoutes } from './performance/routes.ts'
import { isWide } from './issues/selection.ts'
import { listSuggestions } from './issues/suggestions.ts'
import { askTags } from './issues/tags.ts'
import { askTrace } from './traces/trace.ts'
import { listTraces } from './traces/trace-list.ts'
import * as monitors from './monitors.ts'
import { askAssignees, askFollowing } from './issues/assignees.ts'
import * as people from './people.ts'
import { findToken, listTokens } from './api-tokens.ts'
import { listProjects } from './projects.ts'
import { getChunk, listChunks } from './uploads.ts'
import { askChoices } from './releases/versions.ts'
import { listVitalTrend } from './performance/vital-trend.ts'
import { listVitals } from './performance/vitals.ts'

/*
 * Functions of the store. One whose name begins with `ask` returns a function that reads the answers, so that
 * questions reach the database together.
 */

/**
 * Queries by key or from rollups. Each takes a few milliseconds at a million events, so they run on the main thread.
 */
export const queries = {
  ...alerts,
  ...monitors,
  ...people,
  findMerged,
  findProjects,
  findToken,
  getAttachment,
  getChoices: askChoices,
  getChunk,
  getEvent: askEvent,
  findEvent: askOptionalEvent,
  getIssue: askIssueDetail,
  getIssueSeries: askIssueSeries,
  getOverview: askOverview,
  getPreviousRelease,
  getRelease,
  getRepository: askRepository,
  listChunks,
  listComments,
  listDeploys,
  listEvents,
  listFeedback,
  isFollowing: askFollowing,
  listAssignees: askAssignees,
  listIssues,
  listProjects,
  listSavedSearches,
  listSuggestions,
  listTags: askTags,
  listTokens,
  locate,
  getTrace: askTrace,
  listReleases: askReleaseRows
}

/** Queries that scan many rows. They run in a thread of their own, with a deadline. */
export const scans = {
  findEvents,
  getHealth,
  getHeatMap,
  getIssueSeries: askIssueSeries,
  getOverview: askOverview,
  listFeedback,
  listIssues,
  listLogs,
  listRoutes,
  listThresholds,
  listTraces,
  listVitals,
  listVitalTrend
}

type Tables = typeof queries & typeof scans

/** Queries as functions of their input. Each returns its result directly; the inbox wraps them in promises. */
export type Queries = {
  [Name in keyof Tables]: Tables[Name] extends (store: Store, ...input: infer Input) => infer Result
    ? (...input: Input) => Result extends () => infer Answer ? Answer : Result
    : never
}

/** For queries that may be either: decides by their arguments whether they scan. @throws for invalid arguments */
export const isScan = {
  getIssueSeries: ({ view }: { view: View }) => isNarrowed(view),
  getOverview: isLong,
  listFeedback: isSearch,
  listIssues: isWide
} satisfies { [Name in keyof Queries]?: (...input: Parameters<Queries[Name]>) => boolean }
