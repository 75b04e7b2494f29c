import type { SQLInputValue } from 'node:sqlite'
import { unpackDetail, type StoredPayload } from '../queries/issues/event.ts'
import type { Row, Store } from '../store/store.ts'
import type { ExportFilter, LineType } from './format.ts'

/** Where the lines of a type come from. */
export interface Source {
  /** Main table, called `x` in all parts of the query. */
  table: string
  /** Columns, with the names that the line has. */
  columns: string
  join?: string
  /** Condition of the rows, in which `?1` is the highest id of the export. */
  where?: string
  /** Columns that identify a row and give the order. @default id */
  key?: readonly string[]
  /** First and last time of a row, in milliseconds since the epoch, as SQL. @default the row has no time */
  time?: readonly [first: string, last: string]
  /** Column of the project. @default project */
  project?: string
  /** Rows of a page; few if rows are large. @default 200 */
  rows?: number
  /** Changes the row to what the line contains. @default as it is */
  toLine?: (row: Row, store: Store, upTo: number) => Row
}

const SPAN = `x.id, x.project, x.trace_id AS traceId, x.span_id AS spanId, x.parent_id AS parentId,
  x.is_segment AS isSegment, x.segment_id AS segmentId, x.side, x.name, x.op, x.status, x.start, x.duration,
  r.version AS release, x.environment, x.attributes`
const RELEASE = 'LEFT JOIN release r ON r.id = x.release'
const SPAN_TIME = ['x.start / 1000', 'x.start / 1000'] as const

export const SOURCES: Record<LineType, Source> = {
  project: {
    table: 'project',
    project: 'id',
    columns: `x.id, x.id AS project, x.name, x.key, x.created, x.removed, x.repository_host AS repositoryHost,
      x.repository_url AS repositoryUrl, x.repository_folder AS repositoryFolder`
  },
  release: {
    table: 'release',
    rows: 20,
    columns: `x.id, x.project, x.version, x.first_seen AS firstSeen, x.last_seen AS lastSeen, x.commit_id AS "commit",
      x.released`,
    time: ['x.first_seen', 'x.last_seen'],
    toLine: (row, store) => ({
      ...row,
      commits: store.all(
        'SELECT commit_id AS id, title, author, at FROM release_commit WHERE release = ? ORDER BY position',
        row['id'] as number
      ),
      deploys: store.all(
        'SELECT environment, name, url, started, finished FROM deploy WHERE release = ? ORDER BY id',
        row['id'] as number
      )
    })
  },
  issue: {
    table: 'issue',
    rows: 20,
    columns: `x.id, x.project, x.type AS exception, x.value, x.culprit, x.level, x.side, x.state,
      n.version AS resolvedRelease, x.resolved_in_next AS resolvedInNext, x.ignored_until_events AS ignoredUntilEvents,
      x.ignored_until AS ignoredUntil, p.name AS assignee, x.first_seen AS firstSeen, x.last_seen AS lastSeen, f.version AS firstRelease,
      l.version AS lastRelease, x.events, x.visitors, x.changed`,
    join: `LEFT JOIN release n ON n.id = x.resolved_release LEFT JOIN release f ON f.id = x.first_release
      LEFT JOIN release l ON l.id = x.last_release LEFT JOIN person p ON p.id = x.assignee`,
    time: ['x.first_seen', 'x.last_seen'],
    toLine: toIssue
  },
  event: {
    table: 'event',
    rows: 100,
    columns: `x.id, x.project, x.event_id AS eventId, x.issue, x.at, x.received, x.level, r.version AS release,
      x.environment, x.route, x.url, x.browser, x.visitor, x.trace_id AS traceId, p.codec, p.body`,
    join: `${RELEASE} LEFT JOIN event_payload p ON p.event = x.id`,
    time: ['x.at', 'x.at'],
    toLine: ({ codec, body, ...row }) => ({ ...row, payload: readPayload({ codec, body }) })
  },
  attachment: {
    table: 'attachment',
    rows: 4,
    columns: `x.id, x.project, x.event_id AS eventId, x.filename, x.content_type AS contentType, x.size, x.received,
      x.body`,
    time: ['x.received', 'x.received'],
    toLine: encodeBody
  },
  feedback: {
    table: 'feedback',
    columns: `x.id, x.project, x.event_id AS eventId, x.about, x.at, x.received, x.name, x.email, x.message, x.url`,
    time: ['x.at', 'x.at']
  },
  transaction: {
    table: 'span',
    rows: 50,
    columns: SPAN,
    join: RELEASE,
    where: 'x.is_segment = 1',
    time: SPAN_TIME,
    toLine: toTransaction
  },
  // Spans whose segment is not stored, so that no transaction contains them.
  span: {
    table: 'span',
    columns: SPAN,
    join: RELEASE,
    where: `x.is_segment = 0 AND NOT EXISTS (SELECT 1 FROM span s WHERE s.trace_id = x.trace_id
      AND s.span_id = x.segment_id AND s.is_segment = 1 AND s.id <= ?1)`,
    time: SPAN_TIME,
    toLine: toSpan
  },
  log: {
    table: 'log',
    columns: `x.id, x.project, x.at, x.received, x.level, x.trace_id AS traceId, x.body, x.attributes, x.environment`,
    time: ['x.at', 'x.at'],
    toLine: readAttributes
  },
  check_in: {
    table: 'check_in',
    columns: `x.id, x.project, x.check_in_id AS checkInId, x.monitor, x.status, x.duration, x.environment, x.received,
      x.finished, x.missed, x.trace_id AS traceId, m.crontab, m.every, m.unit, m.zone, m.margin,
      m.max_runtime AS maxRuntime`,
    join: 'LEFT JOIN monitor m ON m.id = x.monitor_id',
    time: ['x.received', 'x.received']
  },
  session: {
    table: 'session',
    key: ['project', 'sid'],
    columns: `x.project, x.sid, x.started, x.status, x.errors, r.version AS release, x.environment`,
    join: RELEASE,
    time: ['x.started', 'x.started']
  },
  raw_item: {
    table: 'raw_item',
    rows: 20,
    columns: `x.id, x.project, x.received, x.type AS itemType, x.event_id AS eventId, x.size, x.body`,
    time: ['x.received', 'x.received'],
    toLine: encodeBody
  }
}

const KEY = ['id'] as const

export const keyOf = (type: LineType): readonly string[] => SOURCES[type].key ?? KEY

/** Reads the rows after a key. Each page is a short transaction of its own. @param after the key; empty from the start */
export function readPage(
  store: Store,
  type: LineType,
  { project, since, until }: ExportFilter,
  upTo: number,
  after: readonly SQLInputValue[]
): { rows: Row[]; isLast: boolean } {
  const source = SOURCES[type]
  const { table, columns, join = '', where = 'true', time, rows: limit = 200 } = source
  const key = keyOf(type).map((column) => `x.${column}`)
  const conditions = [
    where,
    `(${source.key ? 'CAST(?1 AS BIGINT) IS NULL OR true' : 'x.id <= ?1'})`,
    `(x.${source.project ?? 'project'} = ?2 OR ?2 IS NULL)`,
    `(${time?.[1] ?? 'CAST(?3 AS BIGINT)'} >= ?3 OR ?3 IS NULL)`,
    `(${time?.[0] ?? 'CAST(?4 AS BIGINT) - 1'} < ?4 OR ?4 IS NULL)`,
    ...(after.length > 0 ? [`(${key.join(', ')}) > (${key.map((_, at) => `?${at + 5}`).join(', ')})`] : [])
  ]
  const found = store.all(
    `SELECT ${columns} FROM ${table} x ${join} WHERE ${conditions.join(' AND ')} ORDER BY ${key.join(', ')} LIMIT ${limit}`,
    upTo,
    project,
    since,
    until,
    ...after
  )
  const rows = source.toLine ? found.map((row) => source.toLine!(row, store, upTo)) : found
  return { rows, isLast: found.length < limit }
}

/** Null if the payload was not stored, or cannot be read. */
function readPayload({ codec, body }: Row) {
  if (body === null) return null
  try {
    return unpackDetail({ codec, body } as StoredPayload) ?? null
  } catch {
    return null
  }
}

function encodeBody({ body, ...row }: Row): Row {
  return { ...row, body: body === null ? null : Buffer.from(body as Uint8Array).toString('base64') }
}

function readAttributes(row: Row): Row {
  return { ...row, attributes: JSON.parse(row['attributes'] as string) }
}

function toSpan(row: Row): Row {
  return { ...readAttributes(row), isSegment: row['isSegment'] === 1 }
}

function toTransaction(row: Row, store: Store, upTo: number): Row {
  const { traceId, spanId, name } = row as { traceId: string; spanId: string; name: string }
  const spans = store.all(
    `SELECT ${SPAN} FROM span x ${RELEASE}
     WHERE x.trace_id = ? AND x.segment_id = ? AND x.is_segment = 0 AND x.id <= ? ORDER BY x.start, x.id`,
    traceId,
    spanId,
    upTo
  )
  const isPage = row['op'] === 'pageload' || row['op'] === 'navigation'
  const vitals = isPage
    ? store.all<{ name: string; value: number }>(
        'SELECT name, value FROM vital WHERE trace_id = ? AND page = ? ORDER BY name',
        traceId,
        name
      )
    : []
  return {
    ...toSpan(row),
    spans: spans.map(toSpan),
    vitals: Object.fromEntries(vitals.map(({ name: vital, value }) => [vital, value]))
  }
}

function toIssue(row: Row, store: Store): Row {
  const id = row['id'] as number
  return {
    ...row,
    resolvedInNext: row['resolvedInNext'] === 1,
    keys: store.all('SELECT key, algorithm FROM issue_key WHERE issue = ? ORDER BY id', id),
    tags: store.all(
      'SELECT name, value, events, last_seen AS lastSeen FROM issue_tag WHERE issue = ? ORDER BY name, value',
      id
    ),
    // Comments are entries of the kind "commented".
    activity: store
      .all<{ data: string }>(
        `SELECT a.at, p.name AS who, a.kind, a.data FROM activity a LEFT JOIN person p ON p.id = a.who
         WHERE a.issue = ? ORDER BY a.id`,
        id
      )
      .map(({ data, ...entry }) => ({ ...entry, data: JSON.parse(data) as unknown }))
  }
}
