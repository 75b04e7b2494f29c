import { zstdCompressSync } from 'node:zlib'
import { toBucket } from '../../../lib/inbox/buckets.ts'
import type { EventDetail, IssueState, Level, Side, SpanDetail, Vital } from '../../../lib/inbox/model.ts'
import type { Store } from '../../../lib/inbox/store.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** An event as its row has it. */
export interface SeedEvent {
  eventId: string
  at: number
  level: Level
  /** Id of a release; 0 for none. */
  release: number
  environment: string
  route?: string
  url?: string
  browser?: string
  os?: string
  visitor?: string
  digest?: string
  traceId?: string
  spanId?: string
  tags?: readonly (readonly [name: string, value: string])[]
}

interface SeedIssue {
  project: number
  key: number
  firstSeen: number
  lastSeen: number
  firstRelease: number
  lastRelease: number
  events: number
  hours: Map<number, number>
  visitors: Map<string, number>
  tags: Map<string, { events: number; lastSeen: number }>
}

/** NUL stands in no name and no value. */
const toKey = (...parts: (string | number)[]) => parts.join('\0')

const hourOf = (at: number) => Math.floor(at / HOUR)

/**
 * Writes rows as the inbox does when events come in, faster: figures are counted here and written once, by
 * {@link Ledger.flush}. Events come in the order of their time.
 */
export class Ledger {
  readonly store: Store
  readonly #issues = new Map<number, SeedIssue>()
  readonly #figures = new Map<string, number>()
  readonly #latencies = new Map<string, { requests: number; errors: number }>()
  readonly #vitals = new Map<string, number>()
  readonly #visitorHours = new Set<string>()
  #visitorDays = new Set<string>()
  #hour = 0

  constructor(store: Store) {
    this.store = store
  }

  project(id: number, name: string, key: string, created: number): void {
    this.store.run('INSERT OR IGNORE INTO project (id, name, key, created) VALUES (?, ?, ?, ?)', id, name, key, created)
  }

  release(project: number, version: string, at: number): number {
    return this.store.run(
      'INSERT INTO release (project, version, first_seen, last_seen) VALUES (?, ?, ?, ?)',
      ...[project, version, at, at]
    ).id
  }

  issue(
    project: number,
    words: { type: string; value: string; culprit: string; level: Level; side: Side; url?: string }
  ) {
    const { id } = this.store.run(
      `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen) VALUES (?, ?, ?, ?, ?, ?, 0, 0)`,
      ...[project, words.type, words.value, words.culprit, words.level, words.side]
    )
    this.store.run(
      'INSERT INTO issue_search (rowid, type, value, culprit, url) VALUES (?, ?, ?, ?, ?)',
      ...[id, words.type, words.value, words.culprit, words.url ?? '']
    )
    this.#issues.set(id, {
      ...{ project, key: 0, firstSeen: 0, lastSeen: 0, firstRelease: 0, lastRelease: 0, events: 0 },
      ...{ hours: new Map(), visitors: new Map(), tags: new Map() }
    })
    return id
  }

  key(issue: number, key: string, by: 'fingerprint' | 'frames' | 'message', parts: string[], at: number): number {
    const found = this.#issues.get(issue)!
    const { id } = this.store.run(
      'INSERT INTO issue_key (project, key, issue, algorithm, why, created) VALUES (?, ?, ?, 1, ?, ?)',
      ...[found.project, key, issue, JSON.stringify({ by, parts }), at]
    )
    found.key = id
    return id
  }

  /** @returns the id of its row */
  event(issue: number, event: SeedEvent): number {
    const found = this.#issues.get(issue)!
    const { id } = this.store.run(
      `INSERT INTO event (project, event_id, issue, key, at, received, level, release, environment, route, url, browser,
      visitor, digest, trace_id, span_id) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[found.project, event.eventId, issue, found.key, event.at, event.at + 400, event.level, event.release],
      ...[event.environment, event.route ?? null, event.url ?? null, event.browser ?? null, event.visitor ?? null],
      ...[event.digest ?? null, event.traceId ?? null, event.spanId ?? null]
    )
    this.#count(found, event)
    return id
  }

  payload(event: number, detail: EventDetail | Uint8Array): void {
    const body = detail instanceof Uint8Array ? detail : compress(detail)
    this.store.run(`INSERT INTO event_payload (event, codec, body) VALUES (?, 'zstd', ?)`, event, body)
  }

  session(
    project: number,
    session: { sid: string; started: number; status: string; errors: number; release: number; environment: string }
  ) {
    const { sid, started, status, errors, release, environment } = session
    this.store.run(
      'INSERT INTO session VALUES (?, ?, ?, ?, ?, nullif(?, 0), ?)',
      ...[project, sid, started, status, errors, release, environment]
    )
    this.#figure(project, started, 'sessions', environment, release)
    if (errors > 0) this.#figure(project, started, 'sessions_errored', environment, release)
    if (status === 'crashed') this.#figure(project, started, 'sessions_crashed', environment, release)
    if (status === 'abnormal') this.#figure(project, started, 'sessions_abnormal', environment, release)
  }

  span(project: number, span: Omit<SpanDetail, 'release'>, release: number): void {
    const { traceId, spanId, side, name, op, status, start, duration, environment, attributes } = span
    this.store.run(
      `INSERT INTO span (project, trace_id, span_id, parent_id, is_segment, segment_id, side, name, op, status, start,
      duration, received, release, environment, attributes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?)`,
      ...[project, traceId, spanId, span.parentId ?? null, Number(span.isSegment), span.segmentId ?? null, side, name],
      ...[op, status, start, duration, Math.round((start + duration) / 1000) + 300, release, environment],
      JSON.stringify(attributes)
    )
    if (!span.isSegment) return
    const bucket = toBucket(duration / 1000)
    const key = toKey(project, hourOf(start / 1000), side, name, environment, release, bucket)
    const counted = this.#latencies.get(key) ?? { requests: 0, errors: 0 }
    counted.requests++
    if (status === 'error') counted.errors++
    this.#latencies.set(key, counted)
  }

  vital(
    project: number,
    vital: { traceId: string; name: Vital; value: number; at: number; page: string; environment: string },
    release: number
  ) {
    const { traceId, name, value, at, page, environment } = vital
    this.store.run('INSERT INTO vital VALUES (?, ?, ?, ?, ?, ?)', traceId, name, value, at, page, at + 400)
    const bucket = toBucket(name === 'CLS' ? value * 1000 : value)
    const key = toKey(project, hourOf(at), name, page, environment, release, bucket)
    this.#vitals.set(key, (this.#vitals.get(key) ?? 0) + 1)
  }

  state(
    issue: number,
    state: IssueState,
    changes:
      | {
          at: number
          resolvedRelease?: number
          inOldRelease?: number
          ignoredUntil?: number
          ignoredUntilEvents?: number
        }
      | undefined
  ) {
    this.store.run(
      `UPDATE issue SET state = ?, changed = ?, resolved_release = ?, in_old_release = ?, ignored_until = ?,
      ignored_until_events = ?, version = version + 1 WHERE id = ?`,
      ...[state, changes?.at ?? null, changes?.resolvedRelease ?? null, changes?.inOldRelease ?? 0],
      ...[changes?.ignoredUntil ?? null, changes?.ignoredUntilEvents ?? null, issue]
    )
  }

  /** What is known of an issue so far. */
  seen(issue: number): Readonly<SeedIssue> {
    return this.#issues.get(issue)!
  }

  /** Writes what was counted. */
  flush(): void {
    const { store } = this
    for (const [id, issue] of this.#issues) this.#flushIssue(id, issue)
    for (const [key, quantity] of this.#figures) {
      const [project, hour, name, environment, release] = key.split('\0') as [string, string, string, string, string]
      store.run(
        'INSERT INTO figure_hour VALUES (?, ?, ?, ?, ?, ?)',
        +project,
        +hour,
        name,
        environment,
        +release,
        quantity
      )
    }
    for (const key of this.#visitorHours) {
      const [hour, project, visitor, environment, release] = key.split('\0') as [string, string, string, string, string]
      store.run('INSERT INTO visitor_hour VALUES (?, ?, ?, ?, ?)', +hour, +project, visitor, environment, +release)
    }
    for (const [key, { requests, errors }] of this.#latencies) {
      const [project, hour, side, route, environment, release, bucket] = key.split('\0') as [
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
      store.run(
        'INSERT INTO latency_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        ...[+project, +hour, side, route, environment, +release, +bucket, requests, errors]
      )
    }
    for (const [key, samples] of this.#vitals) {
      const [project, hour, vital, page, environment, release, bucket] = key.split('\0') as [
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
      store.run(
        'INSERT INTO vital_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[+project, +hour, vital, page, environment, +release, +bucket, samples]
      )
    }
    store.run(`UPDATE release SET
      last_seen = coalesce((SELECT max(last_seen) FROM issue WHERE last_release = release.id), first_seen),
      new_issues = (SELECT count(*) FROM issue WHERE first_release = release.id)`)
  }

  #count(issue: SeedIssue, event: SeedEvent): void {
    const { at, release, environment, visitor } = event
    const hour = hourOf(at)
    if (issue.events === 0) Object.assign(issue, { firstSeen: at, firstRelease: release })
    issue.events++
    issue.lastSeen = Math.max(issue.lastSeen, at)
    issue.lastRelease = Math.max(issue.lastRelease, release)
    issue.hours.set(hour, (issue.hours.get(hour) ?? 0) + 1)
    for (const [name, value] of tagsOf(event)) {
      const key = toKey(name, value)
      const tag = issue.tags.get(key)
      if (tag) {
        tag.events++
        tag.lastSeen = at
      } else issue.tags.set(key, { events: 1, lastSeen: at })
    }
    this.#figure(issue.project, at, 'errors', environment, release)
    if (visitor === undefined) return
    issue.visitors.set(visitor, at)
    this.#countVisitor(issue.project, hour, event, visitor)
  }

  #countVisitor(project: number, hour: number, { at, release, environment }: SeedEvent, visitor: string): void {
    if (hour !== this.#hour) {
      // Only the last are asked again.
      this.#visitorHours.clear()
      if (Math.floor(hour / 24) !== Math.floor(this.#hour / 24)) this.#visitorDays = new Set()
      this.#hour = hour
    }
    const key = toKey(hour, project, visitor, environment, release)
    if (!this.#visitorHours.has(key)) this.#figure(project, at, 'visitors', environment, release)
    this.#visitorHours.add(key)
    const day = toKey(project, visitor, environment, release)
    if (!this.#visitorDays.has(day)) this.#figure(project, at, 'visitor_days', environment, release)
    this.#visitorDays.add(day)
  }

  #figure(project: number, at: number, name: string, environment: string, release: number): void {
    const key = toKey(project, hourOf(at), name, environment, release)
    this.#figures.set(key, (this.#figures.get(key) ?? 0) + 1)
  }

  #flushIssue(id: number, issue: SeedIssue): void {
    const { store } = this
    store.run(
      `UPDATE issue SET first_seen = ?, last_seen = ?, first_release = nullif(?, 0), last_release = nullif(?, 0),
      events = ?, visitors = ? WHERE id = ?`,
      ...[issue.firstSeen, issue.lastSeen, issue.firstRelease, issue.lastRelease, issue.events, issue.visitors.size, id]
    )
    for (const [hour, events] of issue.hours) store.run('INSERT INTO issue_hour VALUES (?, ?, ?)', id, hour, events)
    for (const [visitor, at] of issue.visitors) store.run('INSERT INTO issue_visitor VALUES (?, ?, ?)', visitor, id, at)
    for (const [key, { events, lastSeen }] of issue.tags) {
      const [name, value] = key.split('\0') as [string, string]
      store.run('INSERT INTO issue_tag VALUES (?, ?, ?, ?, ?)', id, name, value, events, lastSeen)
    }
  }
}

export const compress = (detail: EventDetail): Uint8Array => zstdCompressSync(Buffer.from(JSON.stringify(detail)))

function* tagsOf(event: SeedEvent): Generator<readonly [name: string, value: string]> {
  if (event.environment) yield ['environment', event.environment]
  if (event.browser) yield ['browser', event.browser]
  if (event.os) yield ['os', event.os]
  if (event.url) yield ['url', event.url]
  if (event.route) yield ['transaction', event.route]
  for (const tag of event.tags ?? []) yield tag
}
