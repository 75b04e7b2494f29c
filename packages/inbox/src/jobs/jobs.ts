import { InboxIssueBusy } from '../errors.ts'
import { insertRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { moveRows } from './move.ts'
import { recountVisitors } from './recount.ts'
import { removeRows } from './remove.ts'
import { splitRows } from './split.ts'

/*
 * Background work that follows a change of an issue, such as moving its events. The change itself takes effect at once:
 * grouping keys point to the new issue, issues appear or disappear. The change then processes as many rows as fit into
 * a moment; the rest follows in chunks, so that an issue with half a million events blocks nothing.
 */

export interface Job {
  id: number
  /**
   * `remove`: delete all rows of an issue; `move`: move all rows to another issue; `split`: move the rows of some
   * grouping keys to another issue; `recount`: count an issue's visitors again.
   */
  kind: 'remove' | 'move' | 'split' | 'recount'
  issue: number
  /** Target issue; null for `remove` and `recount`. */
  into_issue: number | null
  /** Key ids of a `split`, as JSON. */
  keys: string
  /** Id of the last processed event. */
  after: number
}

/** Processes one chunk of a job. @returns whether the job is finished, and how many rows it processed */
export type JobWork = (store: Store, job: Job, limit: number) => { done: boolean; rows: number }

const WORK: Record<Job['kind'], JobWork> = {
  remove: removeRows,
  move: moveRows,
  split: splitRows,
  recount: recountVisitors
}

/** Rows per chunk. Measured with twice as many: 4 ms of CPU to move them, 16 ms to remove them. */
const CHUNK = 250

/** Rows that a change processes itself: about a tenth of a second. */
export const AT_ONCE = 5_000

/** @returns the job's id */
export const addJob = (
  store: Store,
  kind: Job['kind'],
  { issue, into, keys = [] }: { issue: number; into?: number; keys?: number[] }
): number => insertRow(store, 'issue_chore', { kind, issue, into_issue: into, keys: JSON.stringify(keys) })

/**
 * Processes one chunk of the oldest job. Call it between commits, in a transaction, until it returns false.
 * @returns whether there is more to do
 */
export function workOff(store: Store): boolean {
  const job = store.get<Job>('SELECT * FROM issue_chore ORDER BY id LIMIT 1')
  if (!job) return false
  work(store, job, CHUNK)
  return store.get('SELECT 1 FROM issue_chore LIMIT 1') !== undefined
}

/** Processes jobs up to {@link AT_ONCE} rows; {@link workOff} does the rest. */
export function workAtOnce(store: Store, ids: readonly number[]): void {
  let left = AT_ONCE
  for (const id of ids) {
    for (;;) {
      if (left <= 0) return
      const job = store.get<Job>('SELECT * FROM issue_chore WHERE id = ?', id)
      if (!job) break
      left -= Math.max(1, work(store, job, Math.min(CHUNK, left)))
    }
  }
}

/** @throws InboxIssueBusy while a job moves events of the issue */
export function refuseBusy(store: Store, issue: number): void {
  const job = store.get(
    `SELECT 1 FROM issue_chore WHERE kind <> 'remove' AND (issue = ?1 OR into_issue = ?1) LIMIT 1`,
    issue
  )
  if (job) throw new InboxIssueBusy()
}

/** @returns the number of rows it processed */
function work(store: Store, job: Job, limit: number): number {
  const { done, rows } = WORK[job.kind](store, job, limit)
  if (done) store.write('DELETE FROM issue_chore WHERE id = ?', job.id)
  return rows
}
