import type { Store } from '../store/store.ts'
import * as alerts from './alerts.ts'
import * as issues from './issues.ts'
import * as people from './people.ts'
import { addComment } from './comments.ts'
import { deleteMonitor } from './monitors.ts'
import { createToken, revokeToken, touchToken } from './api-tokens.ts'
import { createProject, removeProject, renameProject, renewKey, setRepository } from './projects.ts'
import * as savedSearches from './saved-searches.ts'
import type { Changes } from './types.ts'

/** A mutation as a function of a writable store. The writer thread runs each in one transaction. */
export type ChangeTable = {
  [Name in keyof Changes]?: (store: Store, ...input: Parameters<Changes[Name]>) => ReturnType<Changes[Name]>
}

export const changes = {
  ...alerts,
  ...issues,
  ...people,
  ...savedSearches,
  addComment,
  createProject,
  createToken,
  deleteMonitor,
  revokeToken,
  touchToken,
  renameProject,
  setRepository,
  renewKey,
  removeProject
} satisfies ChangeTable
