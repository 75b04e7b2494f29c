import type { Store } from '../store/store.ts'
import * as alerts from './alerts.ts'
import * as issues from './issues.ts'
import * as people from './people.ts'
import { addComment, changeComment, removeComment } from './comments.ts'
import { confirmOwnMail, followIssue, setOwnMail, unfollowIssue } from './following.ts'
import { deleteMonitor } from './monitors.ts'
import { createToken, revokeToken, touchToken } from './api-tokens.ts'
import { createProject, removeProject, renameProject, renewKey, setRepository } from './projects.ts'
import * as thresholds from './thresholds.ts'
import { addDeploy, declareRelease } from './releases.ts'
import * as savedSearches from './saved-searches.ts'
import type { Changes } from './types.ts'
import { addChunk, addUploadedMap, endUpload } from './uploads.ts'

/** A mutation as a function of a writable store. The writer thread runs each in one transaction. */
export type ChangeTable = {
  [Name in keyof Changes]?: (store: Store, ...input: Parameters<Changes[Name]>) => ReturnType<Changes[Name]>
}

export const changes = {
  ...alerts,
  ...issues,
  ...people,
  ...savedSearches,
  ...thresholds,
  addChunk,
  addComment,
  addDeploy,
  addUploadedMap,
  changeComment,
  createProject,
  createToken,
  declareRelease,
  deleteMonitor,
  endUpload,
  followIssue,
  revokeToken,
  touchToken,
  renameProject,
  setOwnMail,
  confirmOwnMail,
  setRepository,
  unfollowIssue,
  renewKey,
  removeComment,
  removeProject
} satisfies ChangeTable
