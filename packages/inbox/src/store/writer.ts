import type { Envelope } from '@hull/monitoring'
import { isStorageError, isStoreFull } from './store-errors.ts'
import { ItemTypes, type ItemCount } from './item-types.ts'
import { removeExpired } from '../access/expiry.ts'
import { changes, type Changes } from '../mutations/index.ts'
import { refuseFormerAdmin } from '../mutations/rights.ts'
import { removeOldChunks } from '../mutations/uploads.ts'
import { workOff } from '../jobs/jobs.ts'
import type { News, WriterStats } from './inbox.ts'
import { ATTACHMENT_LIMITS } from '../ingest/items/attachment.ts'
import { Drops } from '../ingest/drops.ts'
import { BatchAccumulator } from '../ingest/batch-accumulator.ts'
import { createEventHandler } from '../ingest/items/event.ts'
import { Ingest, StoredBefore, type Batch } from '../ingest/ingest.ts'
import { MonitorWatch } from '../monitors/monitor-watch.ts'
import { sideOf } from '../ingest/side.ts'
import type { InboxSettings, IngestOutcome } from './messages.ts'
import { ensureOwnProject, readProjects, Releases } from './projects.ts'
import { OWN_PROJECT, type Project, type Side } from './model.ts'
import { Interval } from './interval.ts'
import { Retention } from './retention/retention.ts'
import { readSetting, writeSetting } from './stored-settings.ts'
import { createTrustedClock, type TrustedClock } from '@hull/common/trusted-clock.ts'
import { reopenDue } from './issue-state.ts'
import { importMaps } from '../symbolication/import.ts'
import { createSymbolicator } from '../symbolication/symbolicator.ts'
import type { Store } from './store.ts'
import { HOUR, MINUTE, SECOND } from '@hull/common/time.ts'

export interface WriterSettings extends Omit<InboxSettings, 'file'> {
  /** Counts since the start, which a writer continues after the store was opened again. @default none yet */
  totals?: WriterTotals
}

/** Counts of the items that were stored or dropped since the process started. */
export class WriterTotals {
  readonly drops = new Drops()
  /** Items by type. */
  readonly stored: Record<string, number> = {}
}

/** Writes to one open store. */
export class InboxWriter {
  readonly #store: Store
  readonly #now: () => number
  /** Clock for deletions. */
  readonly #clock: TrustedClock
  readonly #releases: Releases
  readonly #itemTypes: ItemTypes
  readonly #drops: Drops
  readonly #batch: BatchAccumulator
  readonly #ingest: Ingest
  readonly #retention: Retention
  readonly #monitors: MonitorWatch
  readonly #release: string | undefined
  #projects: Project[]
  readonly #news = { issues: new Set<number>(), hasLogs: false }
  readonly #stored: Record<string, number>
  #bytes: number
  #clockAhead: number
  #lag = 0
  /** When the last envelope of each side was last written to the settings, in milliseconds since the epoch. */
  readonly #receivedNotedAt = new Map<Side, number>()
  readonly #minutes = new Interval(MINUTE)

  /**
   * @param now milliseconds since the epoch
   * @param steady milliseconds on a monotonic clock
   * @default performance.now, or `now` if that is given
   */
  constructor(
    store: Store,
    settings: WriterSettings,
    now: () => number = Date.now,
    steady: () => number = now === Date.now ? () => performance.now() : now
  ) {
    const { root, release, commit, attachments = ATTACHMENT_LIMITS, totals = new WriterTotals() } = settings
    this.#drops = totals.drops
    this.#stored = totals.stored
    this.#store = store
    this.#now = now
    this.#clock = createTrustedClock({ wall: now, steady, lastSeen: readSetting(store, 'clock_seen') })
    this.#release = release
    this.#batch = new BatchAccumulator(store)
    this.#releases = new Releases(store)
    this.#itemTypes = new ItemTypes(store)
    this.#retention = new Retention(store, { ...settings, attachments })
    this.#monitors = new MonitorWatch(store)
    this.#ingest = store.transaction(() => {
      ensureOwnProject(store, now(), settings)
      if (release !== undefined) this.#addRunning(release, commit)
      writeSetting(store, 'max_bytes', settings.maxBytes)
      writeSetting(store, 'retention_days', settings.retentionDays)
      const event = createEventHandler({
        store,
        batch: this.#batch,
        symbolicator: createSymbolicator(store, { root, release, now })
      })
      return new Ingest(store, {
        releases: this.#releases,
        drops: this.#drops,
        batch: this.#batch,
        attachments,
        event,
        now
      })
    })
    this.#projects = readProjects(store)
    this.#bytes = store.usedBytes()
    this.#clockAhead = store.clockAhead
  }

  get projects(): Project[] {
    return this.#projects
  }

  /**
   * Stores envelopes in one commit. Ignores a batch that was stored before. If there is no room, deletes the oldest
   * rows; if that does not help, stores only small items.
   * @param key identifies the batch, which is stored once
   * @throws Error if writing fails; no envelope was stored
   */
  ingest(envelopes: readonly Envelope[], key?: string): IngestOutcome[] {
    try {
      return this.#storeBatch({ envelopes, key, isStoreFull: false })
    } catch (error) {
      if (!isStoreFull(error)) throw error
    }
    try {
      this.#retention.makeRoom(this.#now())
      return this.#storeBatch({ envelopes, key, isStoreFull: false })
    } catch (error) {
      if (!isStoreFull(error)) throw error
    }
    return this.#storeBatch({ envelopes, key, isStoreFull: true })
  }

  /** Does one small piece of maintenance. @returns whether there is more */
  tidy(): boolean {
    this.#bytes = this.#store.usedBytes()
    this.#clockAhead = this.#store.clockAhead
    return this.#store.runLowPriority(() => this.#tidy())
  }

  /** Imports the source maps of the running build. @returns the refused maps, with the reason */
  importMaps(folder: string): { file: string; why: string }[] {
    const options = { folder, release: this.#release ?? '', now: this.#now() }
    return this.#store.runWithSmallCache(() => importMaps(this.#store, options)).refused
  }

  /**
   * @param check throws if the change must not be made any more. Called before the change, and before its commit
   * @throws the error of the change, or of `check`
   */
  change(name: string, input: unknown, check: () => void = () => {}): unknown {
    const change = (changes as Record<string, ((store: Store, input: unknown) => unknown) | undefined>)[name]
    if (change === undefined) throw new TypeError(`there is no change ${name}`)
    check()
    const { result, projects } = this.#store.transaction(() => {
      refuseFormerAdmin(this.#store, name as keyof Changes, input)
      const made = { result: change(this.#store, input), projects: readProjects(this.#store) }
      check()
      return made
    })
    this.#projects = projects
    for (const issue of issuesOf(input, result)) this.#news.issues.add(issue)
    return result
  }

  /** Returns the changes since the last call. */
  takeNews(): News | undefined {
    const { issues, hasLogs } = this.#news
    if (issues.size === 0 && !hasLogs) return undefined
    const news: News = { issues: [...issues], ...(hasLogs && { hasLogs }) }
    issues.clear()
    this.#news.hasLogs = false
    return news
  }

  /** Reads nothing from the store, which may be lost. Bytes and clock are those of the last maintenance. */
  get stats(): WriterStats {
    return {
      stored: { ...this.#stored },
      drops: this.#drops.total,
      bytes: this.#bytes,
      lag: this.#lag,
      clockJump: this.#clock.jump,
      clockAhead: this.#clockAhead
    }
  }

  #tidy(): boolean {
    this.#projects = readProjects(this.#store)
    if (!this.#store.holdsMaintenance()) return false
    const now = this.#clock.now()
    if (this.#minutes.isDue(now)) {
      this.#minutes.restart(now)
      const reopened = this.#store.transaction(() => {
        this.#noteClock(now)
        removeExpired(this.#store, now)
        removeOldChunks(this.#store, now)
        return reopenDue(this.#store, now)
      })
      for (const issue of reopened) this.#news.issues.add(issue)
    }
    let hasJobs: boolean
    let hasOld: boolean
    try {
      hasJobs = this.#store.transaction(() => {
        const hasMore = this.#monitors.step(this.#now() - this.#clockAhead)
        return workOff(this.#store) || hasMore
      })
    } finally {
      // The error of a job is logged, and the job is tried again. The store must stay within its limits meanwhile.
      hasOld = this.#retention.step(now)
    }
    return hasOld || hasJobs
  }

  #addRunning(release: string, commit: string | undefined): void {
    const id = this.#releases.addRunning(OWN_PROJECT, release, this.#now())
    if (commit !== undefined) this.#store.write('UPDATE release SET commit_id = ? WHERE id = ?', commit, id)
  }

  /** Stores a batch. If an item cannot be written, stores the others. */
  #storeBatch(batch: Batch): IngestOutcome[] {
    try {
      return this.#commit(batch)
    } catch (error) {
      if (isStorageError(error)) throw error
      return this.#commit({ ...batch, isItemByItem: true })
    }
  }

  #commit(batch: Batch): IngestOutcome[] {
    const { envelopes } = batch
    const now = this.#now()
    let counts: ReadonlyMap<string, ItemCount> = new Map()
    try {
      const outcomes = this.#store.transaction(
        () => {
          // Another process may have added a project.
          this.#projects = readProjects(this.#store)
          const outcomes = this.#ingest.store(batch, new Set(this.#projects.map(({ id }) => id)))
          this.#noteReceived(envelopes, now)
          this.#drops.write(this.#store, now)
          counts = this.#itemTypes.add(this.#ingest.counts, now)
          return outcomes
        },
        { readsFirst: true }
      )
      this.#drops.settle()
      for (const issue of this.#ingest.issues) this.#news.issues.add(issue)
      for (const [type, { stored }] of counts) {
        if (stored === 0) continue
        this.#stored[type] = (this.#stored[type] ?? 0) + stored
        this.#news.hasLogs ||= type === 'log' || type === 'otel_log'
      }
      this.#lag = now - Math.max(...envelopes.map(({ meta }) => meta.receivedAt))
      return outcomes
    } catch (error) {
      this.#drops.revert()
      this.#batch.clear()
      this.#releases.forget()
      this.#receivedNotedAt.clear()
      if (error instanceof StoredBefore) return error.outcomes
      throw error
    }
  }

  /** Records when the newest envelope of each side was received, at most once a second. */
  #noteReceived(envelopes: readonly Envelope[], now: number): void {
    const newest = new Map<Side, number>()
    for (const { meta } of envelopes) {
      const { name } = (meta.header.sdk ?? {}) as { name?: unknown }
      const side = sideOf(typeof name === 'string' ? { sdk: name } : {})
      if (Math.abs(now - (this.#receivedNotedAt.get(side) ?? 0)) < SECOND) continue
      newest.set(side, Math.max(newest.get(side) ?? 0, meta.receivedAt))
    }
    if (newest.size === 0) return
    const last = readSetting(this.#store, 'last_received') ?? {}
    for (const [side, at] of newest) {
      const before = last[side] ?? 0
      // A later time than now is of a clock that was ahead.
      last[side] = before > now ? at : Math.max(before, at)
      this.#receivedNotedAt.set(side, now)
    }
    writeSetting(this.#store, 'last_received', last)
  }

  /** Saves the time for the next start, so that a clock set wrong in the meantime does not delete anything. */
  #noteClock(now: number): void {
    const seen = readSetting(this.#store, 'clock_seen') ?? 0
    if (this.#clock.jump === 0 && Math.abs(now - seen) >= HOUR) writeSetting(this.#store, 'clock_seen', now)
  }
}

/** Returns the issues of a change: those that its result lists, and the one that a change of comments names. */
function issuesOf(input: unknown, result: unknown): number[] {
  const { issue } = (input ?? {}) as { issue?: unknown }
  const { changed = [], deleted = [] } = (result ?? {}) as { changed?: number[]; deleted?: number[] }
  return [...changed, ...deleted, ...(typeof issue === 'number' ? [issue] : [])]
}
