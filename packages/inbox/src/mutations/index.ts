import * as alerts from './alerts.ts'
import * as issues from './issues.ts'
import * as people from './people.ts'
import * as comments from './comments.ts'
import { confirmOwnMail, followIssue, setOwnMail, unfollowIssue } from './following.ts'
import * as monitors from './monitors.ts'
import * as apiTokens from './api-tokens.ts'
import { createProject, removeProject, renameProject, renewKey, setRepository } from './projects.ts'
import * as thresholds from './thresholds.ts'
import * as releases from './releases.ts'
import * as savedSearches from './saved-searches.ts'
import { addChunk, addUploadedMap, endUpload } from './uploads.ts'

/** Functions of a writable store. The writer thread runs each in one transaction. */
export const changes = {
  ...alerts,
  ...apiTokens,
  ...comments,
  ...issues,
  ...monitors,
  ...people,
  ...releases,
  ...savedSearches,
  ...thresholds,
  addChunk,
  addUploadedMap,
  createProject,
  endUpload,
  followIssue,
  renameProject,
  setOwnMail,
  confirmOwnMail,
  setRepository,
  unfollowIssue,
  renewKey,
  removeProject
}

/** Mutations as functions of their input. */
export type Changes = {
  [Name in keyof typeof changes]: (input: Parameters<(typeof changes)[Name]>[1]) => ReturnType<(typeof changes)[Name]>
}
