import { DAY, HOUR } from '@hull/common/time.ts'
import type { FigureName } from '../../store/rollups.ts'
import type { Store } from '../../store/store.ts'
import { toServerTime } from '../clock.ts'
import type { IngestContext, Item } from '../context.ts'
import { toCount, asObject, asArray, parseObject, toRelease, toText } from '../fields.ts'

/** Maximum milliseconds between the start of a session and its receipt. Sentry has the same limit. */
const MAX_AGE = 5 * DAY

/** Maximum groups of sessions in an item; each covers a minute. */
const MAX_AGGREGATES = 100

/**
 * Results of a session, best first, and the figures that count them; the first figure counts all sessions. An unhandled
 * error counts as a crash.
 */
const STATUSES = ['ok', 'errored', 'abnormal', 'crashed'] as const
const FIGURES = ['sessions', 'sessions_errored', 'sessions_abnormal', 'sessions_crashed'] as const
type Ending = 0 | 1 | 2 | 3

const ENDINGS: Readonly<Record<string, Ending>> = {
  errored: 1,
  degraded: 1,
  abnormal: 2,
  crashed: 3,
  unhandled: 3
}

interface Group {
  started: number
  release: number | null
  environment: string
}

/** A client's report of a visitor's session. */
export interface SessionReport extends Group {
  sid: string
  ending: Ending
  errors: number
  context: IngestContext
}

/** Reads a visitor's session. */
export function storeSession({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const sid = toText(raw['sid'], 64)?.replaceAll('-', '').toLowerCase()
  if (!sid) throw new TypeError('a session has an id')
  const errors = toCount(raw['errors'])
  const ending = worse(endingOf(raw['status']), errors > 0 ? 1 : 0)
  const group = groupOf(raw['started'], asObject(raw['attrs']), context)
  context.batch.sessions.add({ ...group, sid, ending, errors, context })
}

interface SessionRow extends Group {
  sid: string
  status: (typeof STATUSES)[number]
  errors: number
}

/**
 * Stores the sessions of a batch. Clients report a session again after each change; it counts once, with its worst
 * status.
 */
export function writeSessions(store: Store, reports: readonly SessionReport[]): void {
  for (const [project, group] of Map.groupBy(reports, ({ context }) => context.project)) {
    const known = readSessions(store, project, group)
    const changed = new Set<SessionRow>()
    for (const report of group) {
      const row = applyReport(report, known)
      if (row !== undefined) changed.add(row)
    }
    store.insertRows(
      'INSERT INTO session (project, sid, started, status, errors, release, environment)',
      [...changed].map(({ sid, started, status, errors, release, environment }) => [
        project,
        sid,
        started,
        status,
        errors,
        release,
        environment
      ]),
      'ON CONFLICT (project, sid) DO UPDATE SET status = excluded.status, errors = excluded.errors'
    )
  }
}

function readSessions(store: Store, project: number, reports: readonly SessionReport[]): Map<string, SessionRow> {
  const rows = store.allIn<SessionRow>(
    'SELECT sid, status, errors, started, release, environment FROM session WHERE project = ? AND sid IN (:keys)',
    reports.map(({ sid }) => sid),
    project
  )
  return new Map(rows.map((row) => [row.sid, row]))
}

/** @returns the row if it is new or changed */
function applyReport(report: SessionReport, known: Map<string, SessionRow>): SessionRow | undefined {
  const { sid, ending, errors, started, release, environment, context } = report
  const row = known.get(sid)
  if (row === undefined) {
    const added = { sid, status: STATUSES[ending], errors, started, release, environment }
    known.set(sid, added)
    count('sessions', 1, added, context)
    if (ending > 0) count(FIGURES[ending], 1, added, context)
    return added
  }
  const before = STATUSES.indexOf(row.status) as Ending
  const now = worse(before, ending)
  if (now === before && errors <= row.errors) return undefined
  row.status = STATUSES[now]
  row.errors = Math.max(row.errors, errors)
  if (now !== before) {
    if (before > 0) count(FIGURES[before], -1, row, context)
    count(FIGURES[now], 1, row, context)
  }
  return row
}

/** Stores the sessions of a server, which are its requests. The client sends counts per minute. */
export function storeSessions({ payload }: Item, context: IngestContext): void {
  const raw = parseObject(payload)
  const aggregates = asArray(raw['aggregates'])
  if (aggregates.length > MAX_AGGREGATES)
    context.drop('too_many_sessions', 'session', aggregates.length - MAX_AGGREGATES)
  for (const aggregate of aggregates.slice(0, MAX_AGGREGATES).map(asObject)) {
    const group = groupOf(aggregate['started'], asObject(raw['attrs']), context)
    const counts = [toCount(aggregate['exited']), toCount(aggregate['errored']), toCount(aggregate['abnormal']), 0]
    counts[3] = toCount(aggregate['crashed']) + toCount(aggregate['unhandled'])
    const all = counts.reduce((sum, quantity) => sum + quantity, 0)
    if (all > 0) count('sessions', all, group, context)
    for (const ending of [1, 2, 3] as const)
      if (counts[ending]! > 0) count(FIGURES[ending], counts[ending]!, group, context)
  }
}

const endingOf = (status: unknown): Ending =>
  typeof status === 'string' && Object.hasOwn(ENDINGS, status) ? ENDINGS[status]! : 0

const worse = (one: Ending, other: Ending): Ending => (one > other ? one : other)

function groupOf(begun: unknown, attrs: Record<string, unknown>, context: IngestContext): Group {
  const { receivedAt, releaseOf } = context
  const { at } = toServerTime(begun, context)
  return {
    started: at >= receivedAt - MAX_AGE ? at : receivedAt,
    release: releaseOf(toRelease(attrs['release'])),
    environment: context.environmentOf(attrs['environment'])
  }
}

function count(figure: FigureName, quantity: number, group: Group, { project, batch }: IngestContext): void {
  const { started, environment, release } = group
  const place = { project, hour: Math.floor(started / HOUR), environment, release: release ?? 0 }
  batch.rollups.countFigure(place, figure, quantity)
}
