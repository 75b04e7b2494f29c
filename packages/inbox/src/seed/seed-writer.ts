import { zstdCompressSync } from 'node:zlib'
import { HOUR } from '@hull/common/time.ts'
import { getOrInsert } from '../get-or-insert.ts'
import { isError } from '../ingest/record-event.ts'
import { countVisitor } from '../ingest/visitors.ts'
import { toBucket } from '../queries/rollups/buckets.ts'
import type { EventDetail, Grouping, Level, Side, SpanDetail, Vital } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { insert } from './insert.ts'

/** An event's row. */
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

export interface SeedIssue {
  type: string
  value: string
  culprit: string
  level: Level
  side: Side
  url?: string
}

export interface SeedSession {
  sid: string
  started: number
  status: string
  errors: number
  release: number
  environment: string
}

export interface SeedVital {
  traceId: string
  name: Vital
  value: number
  at: number
  page: string
  environment: string
}

interface IssueCounts {
  project: number
  key: number
  firstSeen: number
  lastSeen: number
  firstRelease: number
  lastRelease: number
  events: number
  hours: Map<number, number>
  visitors: Map<string, number>
  tags: Map<string, Map<string, { events: number; lastSeen: number }>>
}

/** Joins the parts with NUL, which no name or value contains. */
function toKey(first: string | number, ...others: (string | number)[]): string {
  let key = `${first}`
  for (const part of others) key += `\0${part}`
  return key
}

const hourOf = (at: number) => Math.floor(at / HOUR)

/**
 * Writes the same rows as the inbox, but faster: it counts figures in memory, and {@link SeedWriter.flush} writes them
 * once. Add events in the order of their time.
 */
export class SeedWriter {
  readonly store: Store
  readonly #issues = new Map<number, IssueCounts>()
  readonly #figures = new Map<string, number>()
  readonly #latencies = new Map<string, { requests: number; errors: number }>()
  readonly #vitals = new Map<string, number>()
  readonly #visitorHours = new Set<string>()
  #countedVisitors = new Set<string>()
  #hour = 0

  constructor(store: Store) {
    this.store = store
  }

  project(id: number, name: string, key: string, created: number): void {
    insert(this.store, 'project', { id, name, key, created })
  }

  release(project: number, version: string, at: number, commit?: string): number {
    return insert(this.store, 'release', { project, version, first_seen: at, last_seen: at, commit_id: commit ?? null })
  }

  issue(project: number, { url = '', ...issue }: SeedIssue): number {
    const id = insert(this.store, 'issue', { project, ...issue, first_seen: 0, last_seen: 0 })
    const { type, value, culprit } = issue
    insert(this.store, 'issue_search', { rowid: id, type, value, culprit, url })
    this.#issues.set(id, {
      project,
      key: 0,
      firstSeen: 0,
      lastSeen: 0,
      firstRelease: 0,
      lastRelease: 0,
      events: 0,
      hours: new Map(),
      visitors: new Map(),
      tags: new Map()
    })
    return id
  }

  key(issue: number, key: string, why: Grouping['why'], created: number): number {
    const found = this.#issues.get(issue)!
    const row = { project: found.project, key, issue, algorithm: 1, why: JSON.stringify(why), created }
    found.key = insert(this.store, 'issue_key', row)
    return found.key
  }

  /** @returns the id of the event's row */
  event(issue: number, event: SeedEvent): number {
    const found = this.#issues.get(issue)!
    this.#count(found, event)
    return insert(this.store, 'event', {
      project: found.project,
      event_id: event.eventId,
      issue,
      key: found.key,
      at: event.at,
      received: event.at + 400,
      level: event.level,
      release: event.release || null,
      environment: event.environment,
      route: event.route,
      url: event.url,
      browser: event.browser,
      visitor: event.visitor,
      digest: event.digest,
      trace_id: event.traceId,
      span_id: event.spanId
    })
  }

  payload(event: number, detail: EventDetail | Uint8Array): void {
    const body = detail instanceof Uint8Array ? detail : compress(detail)
    insert(this.store, 'event_payload', { event, codec: 'zstd', body })
  }

  session(project: number, session: SeedSession): void {
    const { started, status, errors, release, environment } = session
    insert(this.store, 'session', { project, ...session, release: release || null })
    this.#figure(project, started, 'sessions', environment, release)
    if (errors > 0) this.#figure(project, started, 'sessions_errored', environment, release)
    if (status === 'crashed') this.#figure(project, started, 'sessions_crashed', environment, release)
    if (status === 'abnormal') this.#figure(project, started, 'sessions_abnormal', environment, release)
  }

  span(project: number, span: Omit<SpanDetail, 'release'>, release: number): void {
    const { side, name, op, status, start, duration, environment } = span
    insert(this.store, 'span', {
      project,
      trace_id: span.traceId,
      span_id: span.spanId,
      parent_id: span.parentId,
      is_segment: Number(span.isSegment),
      segment_id: span.segmentId,
      side,
      name,
      op,
      status,
      start,
      duration,
      received: Math.round((start + duration) / 1000) + 300,
      release: release || null,
      environment,
      attributes: JSON.stringify(span.attributes)
    })
    if (!span.isSegment) return
    const key = toKey(project, hourOf(start / 1000), side, name, environment, release, toBucket(duration / 1000))
    const counted = getOrInsert(this.#latencies, key, () => ({ requests: 0, errors: 0 }))
    counted.requests++
    if (status === 'error') counted.errors++
  }

  vital(project: number, vital: SeedVital, release: number): void {
    const { traceId, name, value, at, page, environment } = vital
    insert(this.store, 'vital', { trace_id: traceId, name, value, at, page, received: at + 400 })
    const bucket = toBucket(name === 'CLS' ? value * 1000 : value)
    const key = toKey(project, hourOf(at), name, page, environment, release, bucket)
    this.#vitals.set(key, (this.#vitals.get(key) ?? 0) + 1)
  }

  /** Returns the counts of an issue so far. */
  seen(issue: number): Readonly<IssueCounts> {
    return this.#issues.get(issue)!
  }

  /** Writes the counted figures. */
  flush(): void {
    const { store } = this
    for (const [id, issue] of this.#issues) this.#flushIssue(id, issue)
    for (const [key, quantity] of this.#figures) {
      const [project, hour, name, environment, release] = key.split('\0')
      insert(store, 'figure_hour', { project, hour, name, environment, release, quantity })
      const day = Math.floor(Number(hour) / 24)
      if (environment) insert(store, 'known_name', { project, kind: 'environment', name: environment, last_day: day })
    }
    for (const key of this.#visitorHours) {
      const [hour, project, visitor, environment, release] = key.split('\0')
      insert(store, 'visitor_hour', { hour, project, visitor, environment, release })
    }
    for (const [key, counted] of this.#latencies) {
      const [project, hour, side, route, environment, release, bucket] = key.split('\0')
      insert(store, 'latency_hour', { project, hour, side, route, environment, release, bucket, ...counted })
    }
    for (const [key, samples] of this.#vitals) {
      const [project, hour, vital, page, environment, release, bucket] = key.split('\0')
      insert(store, 'vital_hour', { project, hour, vital, page, environment, release, bucket, samples })
    }
    store.write(`UPDATE release SET
      last_seen = coalesce((SELECT max(last_seen) FROM issue WHERE last_release = release.id), first_seen),
      new_issues = (SELECT count(*) FROM issue WHERE first_release = release.id)`)
  }

  #count(issue: IssueCounts, event: SeedEvent): void {
    const { at, release, environment, visitor } = event
    const hour = hourOf(at)
    if (issue.events === 0) Object.assign(issue, { firstSeen: at, firstRelease: release })
    issue.events++
    issue.lastSeen = Math.max(issue.lastSeen, at)
    issue.lastRelease = Math.max(issue.lastRelease, release)
    issue.hours.set(hour, (issue.hours.get(hour) ?? 0) + 1)
    countTag(issue, at, 'environment', environment)
    countTag(issue, at, 'browser', event.browser)
    countTag(issue, at, 'os', event.os)
    countTag(issue, at, 'url', event.url)
    countTag(issue, at, 'transaction', event.route)
    for (const [name, value] of event.tags ?? []) countTag(issue, at, name, value)
    if (visitor !== undefined) issue.visitors.set(visitor, at)
    if (!isError(event.level)) return
    this.#figure(issue.project, at, 'errors', environment, release)
    if (visitor === undefined) return
    this.#countVisitor(issue.project, hour, event, visitor)
  }

  #countVisitor(project: number, hour: number, { at, release, environment }: SeedEvent, visitor: string): void {
    if (hour !== this.#hour) {
      // Only visitors of the current day can repeat.
      if (Math.floor(hour / 24) !== Math.floor(this.#hour / 24)) this.#countedVisitors = new Set()
      this.#hour = hour
    }
    this.#visitorHours.add(toKey(hour, project, visitor, environment, release))
    for (const name of countVisitor({ hour, project, visitor, environment, release }, this.#countedVisitors))
      this.#figure(project, at, name, environment, release)
  }

  #figure(project: number, at: number, name: string, environment: string, release: number): void {
    const key = toKey(project, hourOf(at), name, environment, release)
    this.#figures.set(key, (this.#figures.get(key) ?? 0) + 1)
  }

  #flushIssue(
    id: number,
    { firstSeen, lastSeen, firstRelease, lastRelease, events, hours, visitors, tags }: IssueCounts
  ): void {
    const { store } = this
    store.write(
      `UPDATE issue SET first_seen = ?, last_seen = ?, first_release = nullif(?, 0), last_release = nullif(?, 0),
      events = ?, visitors = ? WHERE id = ?`,
      firstSeen,
      lastSeen,
      firstRelease,
      lastRelease,
      events,
      visitors.size,
      id
    )
    for (const [hour, quantity] of hours) insert(store, 'issue_hour', { issue: id, hour, events: quantity })
    for (const [visitor, at] of visitors) insert(store, 'issue_visitor', { visitor, issue: id, last_seen: at })
    for (const [name, values] of tags)
      for (const [value, tag] of values)
        insert(store, 'issue_tag', { issue: id, name, value, events: tag.events, last_seen: tag.lastSeen })
  }
}

export const compress = (detail: EventDetail): Uint8Array => zstdCompressSync(Buffer.from(JSON.stringify(detail)))

function countTag({ tags }: IssueCounts, at: number, name: string, value: string | undefined): void {
  if (!value) return
  const values = getOrInsert(tags, name, () => new Map<string, { events: number; lastSeen: number }>())
  const tag = getOrInsert(values, value, () => ({ events: 0, lastSeen: at }))
  tag.events++
  tag.lastSeen = at
}
