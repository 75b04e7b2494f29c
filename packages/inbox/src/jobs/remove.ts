import type { Store } from '../store/store.ts'
import type { JobWork } from './jobs.ts'

/** The oldest events of an issue, up to a limit. */
const OLDEST = 'FROM event WHERE issue = ? ORDER BY id LIMIT ?'

/** Feedback about these events. The plus keeps SQLite from reading all feedback of the project for each event. */
const FEEDBACK = `FROM (SELECT project, event_id ${OLDEST}) AS gone
  JOIN feedback ON feedback.about = gone.event_id AND +feedback.project = gone.project`

/** Deletes the events with their data, then the issue's counters. */
export const removeRows: JobWork = (store, { issue }, limit) => {
  const events = removeEvents(store, issue, limit)
  if (events === limit) return { done: false, rows: events }
  const figures = removeFigures(store, issue, limit)
  return { done: figures < limit, rows: events + figures }
}

function removeEvents(store: Store, issue: number, limit: number): number {
  const some = [issue, limit]
  store.write(`DELETE FROM event_payload WHERE event IN (SELECT id ${OLDEST})`, ...some)
  store.write(`DELETE FROM attachment WHERE (project, event_id) IN (SELECT project, event_id ${OLDEST})`, ...some)
  store.write(
    `DELETE FROM attachment WHERE (project, event_id) IN (SELECT feedback.project, feedback.event_id ${FEEDBACK})`,
    ...some
  )
  store.write(`DELETE FROM feedback WHERE id IN (SELECT feedback.id ${FEEDBACK})`, ...some)
  return store.run(`DELETE FROM event WHERE id IN (SELECT id ${OLDEST})`, ...some).changes
}

/** Tables of an issue's counters, with the rest of their keys. */
const FIGURES = [
  ['issue_hour', 'hour'],
  ['issue_tag', 'name, value'],
  ['issue_visitor', 'visitor']
] as const

function removeFigures(store: Store, issue: number, limit: number): number {
  const removed = FIGURES.map(
    ([table, key]) =>
      store.run(
        `DELETE FROM ${table} WHERE issue = ?1 AND (${key}) IN (SELECT ${key} FROM ${table} WHERE issue = ?1 LIMIT ?2)`,
        issue,
        limit
      ).changes
  )
  return Math.max(...removed)
}
