import type { Store } from '../store.ts'
import * as people from './people.ts'
import { listProjects } from './projects.ts'
import type { Queries } from './types.ts'

/** A question as a function of a store. */
export type QueryTable = {
  [Name in keyof Queries]?: (store: Store, ...input: Parameters<Queries[Name]>) => ReturnType<Queries[Name]>
}

/** Keyed, or from rollups: at most some milliseconds at a million events, so the main thread asks them itself. */
export const queries = { ...people, listProjects } satisfies QueryTable

/** What looks through many rows: asked in a thread of its own, with a deadline. */
export const scans = {} satisfies QueryTable
