import { STATE_COLUMNS, type IssueStateRow } from '../store/issue-state.ts'
import { KnownNames } from '../store/known-names.ts'
import type { Store } from '../store/store.ts'
import { addTag } from './issue-tags.ts'
import { Gathered, insertPlainRows, type PlainRow } from './gathered.ts'
import { differ, updateSearch, type IssueTitle } from './issue.ts'
import { writeSpans, type GatheredSpan } from './record-span.ts'
import { RollupCounts } from './rollup-counts.ts'
import { writeSessions, type SessionReport } from './session.ts'
import { writeVitals, type GatheredVital } from './vitals.ts'

/** An issue's row, including the events of this batch. */
export interface AccumulatedIssue extends IssueStateRow, IssueTitle {
  visitors: number
  first_seen: number
  last_seen: number
  last_release: number | null
}

interface Entry {
  /** The row in the store. */
  before: AccumulatedIssue
  now: AccumulatedIssue
  /** Events by hour, including those in the store. */
  hours: Map<number, { before: number; now: number }>
  tags: Map<string, { name: string; value: string; events: number; last: number }>
}

/**
 * Counts the events and rollups of one batch in memory and writes the sums once at its end: errors come in bursts, and
 * each one changes a dozen rows. Use it inside one transaction, so that no other connection writes in between.
 */
export class BatchAccumulator {
  readonly spans = new Gathered<GatheredSpan>()
  readonly vitals = new Gathered<GatheredVital>()
  readonly sessions = new Gathered<SessionReport>()
  readonly rows = new Gathered<PlainRow>()
  /** Writes of rare items, each with statements of its own. */
  readonly later = new Gathered<() => void>()
  readonly #gathered = [this.spans, this.vitals, this.sessions, this.rows, this.later]
  readonly names: KnownNames
  readonly rollups: RollupCounts
  readonly #store: Store
  readonly #issues = new Map<number, Entry>()
  /**
   * Issues read for the current event. They are discarded if the event fails, because a new issue is then rolled back.
   */
  #fresh: number[] = []

  constructor(store: Store) {
    this.#store = store
    this.names = new KnownNames(store)
    this.rollups = new RollupCounts(store)
  }

  issue(id: number): AccumulatedIssue {
    return this.#entry(id).now
  }

  /** Returns the number of an issue's events in an hour. */
  eventsIn(id: number, hour: number): number {
    return this.#hour(id, hour).now
  }

  countHour(id: number, hour: number): void {
    this.#hour(id, hour).now++
  }

  countTag(id: number, name: string, value: string, at: number): void {
    const { tags } = this.#entry(id)
    const key = `${name}\0${value}`
    const known = tags.get(key)
    if (!known) tags.set(key, { name, value, events: 1, last: at })
    else {
      known.events++
      known.last = Math.max(known.last, at)
    }
  }

  /** Call it after the current item is stored. */
  commitItem(): void {
    this.#fresh = []
    for (const gathered of this.#gathered) gathered.commitItem()
    this.rollups.commitItem()
  }

  /** Call it if the current item failed. An event must fail before it is counted for its issue. */
  discardItem(): void {
    for (const id of this.#fresh) this.#issues.delete(id)
    this.#fresh = []
    for (const gathered of this.#gathered) gathered.discardItem()
    this.rollups.discardItem()
  }

  /** Writes and discards an issue whose state changed in the store, so that the next event reads it again. */
  flushIssue(id: number): void {
    const entry = this.#issues.get(id)
    if (entry) this.#writeIssue(id, entry)
    this.#issues.delete(id)
  }

  /** Writes all counts. Call it as the last step of the batch. */
  write(): void {
    writeSpans(this.#store, this.spans.take())
    writeVitals(this.#store, this.vitals.take())
    writeSessions(this.#store, this.sessions.take())
    insertPlainRows(this.#store, this.rows.take())
    for (const write of this.later.take()) write()
    this.rollups.commitItem()
    for (const [id, entry] of this.#issues) this.#writeIssue(id, entry)
    this.names.write()
    this.rollups.write()
    this.#forgetIssues()
  }

  /** Discards everything that is not written. Call it after a rollback. */
  clear(): void {
    for (const gathered of this.#gathered) gathered.clear()
    this.names.forget()
    this.rollups.clear()
    this.#forgetIssues()
  }

  #forgetIssues(): void {
    this.#issues.clear()
    this.#fresh = []
  }

  #entry(id: number): Entry {
    const known = this.#issues.get(id)
    if (known) return known
    const before = this.#store.get<AccumulatedIssue>(
      `SELECT ${STATE_COLUMNS}, visitors, first_seen, last_seen, last_release, type, value, culprit, level
       FROM issue WHERE id = ?`,
      id
    )!
    const entry: Entry = { before, now: { ...before }, hours: new Map(), tags: new Map() }
    this.#issues.set(id, entry)
    this.#fresh.push(id)
    return entry
  }

  #hour(id: number, hour: number): { before: number; now: number } {
    const { hours } = this.#entry(id)
    const known = hours.get(hour)
    if (known) return known
    const row = this.#store.get<{ events: number }>(
      'SELECT events FROM issue_hour WHERE issue = ? AND hour = ?',
      id,
      hour
    )
    const counted = { before: row?.events ?? 0, now: row?.events ?? 0 }
    hours.set(hour, counted)
    return counted
  }

  #writeIssue(id: number, { before, now, hours, tags }: Entry): void {
    if (now.events === before.events) return
    const {
      events,
      visitors,
      first_seen: first,
      last_seen: last,
      last_release: release,
      type,
      value,
      culprit,
      level
    } = now
    this.#store.run(
      `UPDATE issue SET events = ?, visitors = ?, first_seen = ?, last_seen = ?, last_release = ? WHERE id = ?`,
      events,
      visitors,
      first,
      last,
      release,
      id
    )
    if (differ(before, now)) {
      this.#store.run(
        'UPDATE issue SET type = ?, value = ?, culprit = ?, level = ? WHERE id = ?',
        type,
        value,
        culprit,
        level,
        id
      )
      updateSearch(this.#store, id, before, now)
    }
    for (const [hour, counted] of hours) this.#writeHour(id, hour, counted.now - counted.before)
    for (const tag of tags.values()) addTag(this.#store, id, tag)
  }

  #writeHour(id: number, hour: number, events: number): void {
    if (events > 0)
      this.#store.run(
        `INSERT INTO issue_hour (issue, hour, events) VALUES (?, ?, ?)
         ON CONFLICT (issue, hour) DO UPDATE SET events = events + excluded.events`,
        id,
        hour,
        events
      )
  }
}
