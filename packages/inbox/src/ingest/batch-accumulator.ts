import { addAlertFact } from '../alerts/facts.ts'
import { STATE_COLUMNS, type IssueStateRow } from '../store/issue-state.ts'
import type { Side } from '../store/model.ts'
import { KnownNames } from '../store/known-names.ts'
import type { Store } from '../store/store.ts'
import type { GatheredEvent } from './items/event.ts'
import { addTag, addTags, indexAddresses, type TagCount } from './issue-tags.ts'
import { Gathered, insertPlainRows, type PlainRow } from './gathered.ts'
import { updateSearch, type IssueTitle } from './issue.ts'
import { writeSpans, type GatheredSpan } from './record-span.ts'
import { RollupCounts } from './rollup-counts.ts'
import { writeSessions, type SessionReport } from './items/session.ts'
import { writeVitals, type GatheredVital } from './vitals.ts'

/** An issue's row, including the events of this batch. */
export interface AccumulatedIssue extends IssueStateRow, IssueTitle {
  side: Side
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
  /** Environment of its first event, if the issue is from this batch: it has no hours in the store. */
  createdIn?: string
}

const COLUMNS = `${STATE_COLUMNS}, visitors, first_seen, last_seen, last_release, side, type, value, culprit, level`

/**
 * Counts the events and rollups of one batch in memory and writes the sums once at its end: errors come in bursts, and
 * each one changes a dozen rows. Use it inside one transaction: what it reads under the lock stays as it is until it
 * writes.
 */
export class BatchAccumulator {
  readonly events = new Gathered<GatheredEvent>()
  readonly spans = new Gathered<GatheredSpan>()
  readonly vitals = new Gathered<GatheredVital>()
  readonly sessions = new Gathered<SessionReport>()
  readonly rows = new Gathered<PlainRow>()
  /** Writes of rare items, each with statements of its own. */
  readonly later = new Gathered<() => void>()
  readonly #gathered = [this.events, this.spans, this.vitals, this.sessions, this.rows, this.later]
  readonly names: KnownNames
  readonly rollups: RollupCounts
  readonly #store: Store
  readonly #issues = new Map<number, Entry>()
  readonly #tags = new Map<string, TagCount>()

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

  countTag(issue: number, name: string, value: string, at: number): void {
    addTag(this.#tags, { issue, name, value, events: 1, last: at })
  }

  /** Adds an issue that was just created. */
  addIssue(id: number, row: AccumulatedIssue, environment: string): void {
    this.#issues.set(id, { before: row, now: { ...row }, hours: new Map(), createdIn: environment })
  }

  /** Reads issues with their events in hours, each table at once. */
  readIssues(used: readonly { issue: number; hour: number }[]): void {
    const missing = used.map(({ issue }) => issue).filter((issue) => !this.#issues.has(issue))
    const sql = `SELECT ${COLUMNS} FROM issue WHERE id IN (:keys)`
    const readIssues = this.#store.askIn<AccumulatedIssue>(sql, missing)
    const keys = new Map(used.map(({ issue, hour }) => [`${issue} ${hour}`, [issue, hour] as [number, number]]))
    const stored = this.#store.allInRows<{ issue: number; hour: number; events: number }>(
      'SELECT issue, hour, events FROM issue_hour WHERE (issue, hour) IN (:keys)',
      [...keys.values()]
    )
    for (const row of readIssues()) this.#add(row)
    for (const [issue, hour] of keys.values()) this.#setHour(issue, hour, 0)
    for (const { issue, hour, events } of stored) this.#setHour(issue, hour, events)
  }

  /** Call it after the current item was read. */
  commitItem(): void {
    for (const gathered of this.#gathered) gathered.commitItem()
    this.rollups.commitItem()
  }

  /** Discards the records of the current item, which failed. */
  discardItem(): void {
    for (const gathered of this.#gathered) gathered.discardItem()
    this.rollups.discardItem()
  }

  /** Writes and discards an issue whose state changed in the store, so that the next event reads it again. */
  flushIssue(id: number): void {
    const entry = this.#issues.get(id)
    if (entry) this.#writeIssues([entry])
    this.#issues.delete(id)
  }

  /** Writes all records and counts. Call it after the events are recorded, as the last step of the batch. */
  write(): void {
    writeSpans(this.#store, this.spans.take())
    writeVitals(this.#store, this.vitals.take())
    writeSessions(this.#store, this.sessions.take())
    insertPlainRows(this.#store, this.rows.take())
    for (const write of this.later.take()) write()
    this.#writeIssues([...this.#issues.values()])
    const added = addTags(this.#store, this.#tags.values())
    indexAddresses(this.#store, added, (issue) => this.#issues.get(issue)?.createdIn !== undefined)
    for (const tag of added) if (tag.name === 'environment') this.#tellEnvironment(tag)
    this.names.write()
    this.rollups.commitItem()
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

  /** Records for alerts that a known issue has its first event in an environment. */
  #tellEnvironment({ issue, value: environment, last: at }: TagCount): void {
    const { now, createdIn } = this.#entry(issue)
    if (environment === createdIn) return
    addAlertFact(this.#store, {
      project: now.project,
      kind: 'new',
      subject: issue,
      at,
      environment,
      isKnownElsewhere: true
    })
  }

  #forgetIssues(): void {
    this.#issues.clear()
    this.#tags.clear()
  }

  #entry(id: number): Entry {
    return (
      this.#issues.get(id) ??
      this.#add(this.#store.get<AccumulatedIssue>(`SELECT ${COLUMNS} FROM issue WHERE id = ?`, id)!)
    )
  }

  #add(before: AccumulatedIssue): Entry {
    const entry: Entry = { before, now: { ...before }, hours: new Map() }
    this.#issues.set(before.id, entry)
    return entry
  }

  #hour(id: number, hour: number): { before: number; now: number } {
    const { hours, createdIn } = this.#entry(id)
    const known = hours.get(hour)
    if (known) return known
    if (createdIn !== undefined) return this.#setHour(id, hour, 0)
    const row = this.#store.get<{ events: number }>(
      'SELECT events FROM issue_hour WHERE issue = ? AND hour = ?',
      id,
      hour
    )
    return this.#setHour(id, hour, row?.events ?? 0)
  }

  #setHour(id: number, hour: number, events: number): { before: number; now: number } {
    const counted = { before: events, now: events }
    this.#entry(id).hours.set(hour, counted)
    return counted
  }

  #writeIssues(entries: readonly Entry[]): void {
    const changed = entries.filter(({ before, now }) => now.events > before.events || now.visitors > before.visitors)
    this.#store.insertRows(
      `INSERT INTO issue (id, project, side, type, value, culprit, level, events, visitors, first_seen, last_seen,
         last_release)`,
      changed.map(({ now }) => [
        now.id,
        now.project,
        now.side,
        now.type,
        now.value,
        now.culprit,
        now.level,
        now.events,
        now.visitors,
        now.first_seen,
        now.last_seen,
        now.last_release
      ]),
      `ON CONFLICT (id) DO UPDATE SET type = excluded.type, value = excluded.value, culprit = excluded.culprit,
         level = excluded.level, events = excluded.events, visitors = excluded.visitors,
         first_seen = excluded.first_seen, last_seen = excluded.last_seen, last_release = excluded.last_release`
    )
    this.#store.insertRows(
      'INSERT INTO issue_hour (issue, hour, events)',
      changed.flatMap(({ now: { id }, hours }) =>
        [...hours]
          .filter(([, { before, now }]) => now > before)
          .map(([hour, { before, now }]) => [id, hour, now - before])
      ),
      'ON CONFLICT (issue, hour) DO UPDATE SET events = issue_hour.events + excluded.events'
    )
    for (const { before, now } of changed) updateSearch(this.#store, now.id, before, now)
  }
}
