import { OPEN_STATES } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import type { RollupScope } from '../rollups/figures.ts'
import { countEvents, isNarrowed } from './issue-events.ts'
import { askSeries, sum, type IssueSeries } from './issue-rows.ts'
import { toList } from '../sql.ts'
import { hoursOf } from '../rollups/time-buckets.ts'

/** Issues to count at a time, at first; then twice as many each time. A guess: most inboxes need no second time. */
const FIRST = 20

/** Issues to count at most, so that an inbox with many issues answers as fast as one with few. A guess. */
const MOST = 1_000

const OPEN = OPEN_STATES.map((state) => `'${state}'`).join(', ')

/** An issue, and the number of events that it has in the range at most. */
interface Candidate {
  id: number
  most: number
}

/** Issues with the most events in the range, and the points of those whose events themselves were read. */
export interface MostFrequent {
  ids: number[]
  series: IssueSeries
}

interface Counted {
  id: number
  events: number
}

/**
 * Asks for the open issues with the most events in the range, in the order of the list of issues. An issue has at most
 * as many events in the range as altogether. So the events in the range are counted from the issue with the most events
 * on, until none of the others can be among those found, or {@link MOST} issues were counted.
 * @param limit maximum issues to find
 */
export function askMostFrequent(store: Store, scope: RollupScope, limit: number): () => MostFrequent {
  let read = askCandidates(store, scope, FIRST)
  return () => {
    const series: IssueSeries = new Map()
    let found: Counted[] = []
    let counted = 0
    for (let size = FIRST; ;) {
      const candidates = read()
      const ids = candidates.map(({ id }) => id)
      found = [...found, ...(ids.length > 0 ? count(store, scope, ids, series) : [])]
        .filter(({ events }) => events > 0)
        .sort((a, b) => b.events - a.events || b.id - a.id)
        .slice(0, limit)
      const last = candidates.at(-1)
      counted += candidates.length
      const isLast = !last || candidates.length < size || counted >= MOST
      if (isLast || (found.length === limit && isBefore(found.at(-1)!, last)))
        return { ids: found.map(({ id }) => id), series }
      read = askCandidates(store, scope, (size *= 2), last)
    }
  }
}

/** Whether an issue is before all that come after a candidate: they have no more events, and at equal number lower ids. */
const isBefore = (issue: Counted, { id, most }: Candidate): boolean =>
  issue.events > most || (issue.events === most && issue.id >= id)

/**
 * Counts the events of issues in the range. Those of an environment or a release are not in the hourly rollup. They are
 * read once for the counts and the points, because that takes long.
 */
function count(store: Store, { view, steps }: RollupScope, ids: number[], series: IssueSeries): Counted[] {
  if (!isNarrowed(view)) {
    const { text, values } = countEvents({ hours: hoursOf(steps) }, 'CAST(wanted.value AS BIGINT)')
    return store.all<Counted>(
      `SELECT CAST(wanted.value AS BIGINT) AS id, ${text} AS events FROM json_each(?) AS wanted`,
      ...values,
      toList(ids)
    )
  }
  for (const [id, points] of askSeries(store, ids, view)()) series.set(id, points)
  return ids.map((id) => ({ id, events: sum(series.get(id)!) }))
}

/** Before all others. */
const NONE: Candidate = { id: 0, most: Number.MAX_SAFE_INTEGER }

/** Asks for the issues seen in the range with the most events, most first. @param after the last one before */
function askCandidates(store: Store, scope: RollupScope, size: number, after = NONE): () => Candidate[] {
  const ask = isNarrowed(scope.view) ? askTagged : askAll
  const asked = scope.projects.flatMap((project) => ask(store, { scope, project, size, after }))
  return () =>
    asked
      .flatMap((rows) => rows())
      .sort((a, b) => b.most - a.most || b.id - a.id)
      .slice(0, size)
}

/** Question for the candidates of a project. */
interface Question {
  scope: RollupScope
  project: number
  size: number
  after: Candidate
}

/** Without an environment or release: the index has each state in its order. */
const askAll = (store: Store, { scope: { steps }, project, size, after }: Question): (() => Candidate[])[] =>
  OPEN_STATES.map((state) =>
    store.ask<Candidate>(
      `SELECT id, events AS most FROM issue INDEXED BY issue_by_events
       WHERE project = ? AND state = ? AND (events, id) < (?, ?) AND last_seen >= ?
       ORDER BY events DESC, id DESC LIMIT ?`,
      project,
      state,
      after.most,
      after.id,
      steps.start,
      size
    )
  )

/** By the events that an issue has altogether in the view's release, else environment. Reads the issues of all states. */
function askTagged(store: Store, { scope, project, size, after }: Question): () => Candidate[] {
  const { environment, release } = scope.view
  return store.ask<Candidate>(
    `SELECT i.id, t.events AS most FROM issue_tag t CROSS JOIN issue i ON i.id = t.issue
     WHERE t.name = ? AND t.value = ? AND i.project = ? AND i.state IN (${OPEN}) AND (t.events, i.id) < (?, ?)
       AND i.last_seen >= ? ORDER BY t.events DESC, i.id DESC LIMIT ?`,
    release === undefined ? 'environment' : 'release',
    release ?? environment!,
    project,
    after.most,
    after.id,
    scope.steps.start,
    size
  )
}
