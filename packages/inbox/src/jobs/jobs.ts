import { InboxIssueBusy } from '@hull/common/errors.ts'
import type { Store } from '../store/store.ts'
import { moveRows } from './move.ts'
import { recountVisitors } from './recount.ts'
import { removeRows } from './remove.ts'
import { splitRows } from './split.ts'

/*
 * What a change of an issue means for its events. The change itself takes effect at once: keys lead elsewhere, issues
 * are gone or there. Of the rows that belong to them it does as many as are done in a moment, and leaves the others to
 * be done chunk by chunk, so that an issue of half a million events holds nobody up.
 */

export interface Job {
  id: number
  /**
   * `remove`: all rows of an issue; `move`: all rows to another; `split`: what came by some keys to another;
   * `recount`: who is among the visitors of an issue.
   */
  kind: 'remove' | 'move' | 'split' | 'recount'
  issue: number
  /** The other; null for `remove` and `recount`. */
  into_issue: number | null
  /** Of a `split`: ids as JSON. */
  keys: string
  /** Id of the last event that was looked at. */
  after: number
}

/** Does a chunk of a job. @returns whether that was the last, and the rows that it took */
export type JobWork = (store: Store, job: Job, limit: number) => { done: boolean; rows: number }

const WORK: Record<Job['kind'], JobWork> = {
  remove: removeRows,
  move: moveRows,
  split: splitRows,
  recount: recountVisitors
}

/** Rows of a chunk. Measured for twice as many: 4 ms of CPU to move them, 16 to remove them. */
const CHUNK = 250

/** Rows that a change does itself: about a tenth of a second. */
export const AT_ONCE = 5_000

/** @returns its id */
export const addJob = (
  store: Store,
  kind: Job['kind'],
  { issue, into, keys = [] }: { issue: number; into?: number; keys?: number[] }
): number =>
  store.run(
    'INSERT INTO issue_chore (kind, issue, into_issue, keys) VALUES (?, ?, ?, ?)',
    kind,
    issue,
    into ?? null,
    JSON.stringify(keys)
  ).id

/**
 * Does a chunk of what changes left to do; to be called between commits as long as there is more, in a transaction.
 * @param limit rows @default 250
 * @returns whether there is more
 */
export function workOff(store: Store, limit = CHUNK): boolean {
  const job = store.get<Job>('SELECT * FROM issue_chore ORDER BY id LIMIT 1')
  if (!job) return false
  work(store, job, limit)
  return store.get('SELECT 1 FROM issue_chore LIMIT 1') !== undefined
}

/** Does jobs as far as there is time; what is left is done by {@link workOff}. */
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

/** @throws InboxIssueBusy while events of the issue are being moved */
export function refuseBusy(store: Store, issue: number): void {
  const job = store.get(
    `SELECT 1 FROM issue_chore WHERE kind <> 'remove' AND (issue = ?1 OR into_issue = ?1) LIMIT 1`,
    issue
  )
  if (job) throw new InboxIssueBusy()
}

/** @returns the rows that it took */
function work(store: Store, job: Job, limit: number): number {
  const { done, rows } = WORK[job.kind](store, job, limit)
  if (done) store.run('DELETE FROM issue_chore WHERE id = ?', job.id)
  return rows
}
