import { changes } from './changes/index.ts'
import { isFull } from './file.ts'
import type { News } from './inbox.ts'
import { Drops } from './ingest/drops.ts'
import { createEventHandler } from './ingest/event.ts'
import { Ingest } from './ingest/ingest.ts'
import type { EngineStats, InboxSettings, IncomingEnvelope, IngestOutcome } from './messages.ts'
import type { Project } from './model.ts'
import { ensureOwnProject, OWN_PROJECT, readProjects } from './projects.ts'
import { Releases } from './releases.ts'
import { writeSetting } from './settings.ts'
import type { Store } from './store.ts'

export type EngineSettings = Omit<InboxSettings, 'file'>

/** Everything that writes to one open file. */
export class Engine {
  readonly #store: Store
  readonly #now: () => number
  readonly #releases: Releases
  readonly #drops = new Drops()
  readonly #ingest: Ingest
  #projects: Project[]
  readonly #news = { issues: new Set<number>(), alerting: new Set<number>() }
  readonly #stored: Record<string, number> = {}
  #lag = 0

  constructor(store: Store, settings: EngineSettings, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
    this.#releases = new Releases(store)
    this.#ingest = store.transaction(() => {
      ensureOwnProject(store, now())
      this.#releases.idOf(OWN_PROJECT, settings.release, now())
      writeSetting(store, 'max_bytes', settings.maxBytes)
      writeSetting(store, 'retention_days', settings.retentionDays)
      const event = createEventHandler(this.#news)
      return new Ingest(store, { releases: this.#releases, drops: this.#drops, event })
    })
    this.#projects = readProjects(store)
  }

  get projects(): Project[] {
    return this.#projects
  }

  /** Stores envelopes, all in one commit. Those that were stored before change nothing. */
  ingest(envelopes: readonly IncomingEnvelope[]): IngestOutcome[] {
    try {
      return this.#commit(envelopes, false)
    } catch (error) {
      if (!isFull(error)) throw error
      return this.#commit(envelopes, true)
    }
  }

  /** @throws whatever the change does */
  change(name: string, input: unknown): unknown {
    const change = (changes as Record<string, ((store: Store, input: unknown) => unknown) | undefined>)[name]
    if (change === undefined) throw new TypeError(`there is no change ${name}`)
    const result = this.#store.transaction(() => change(this.#store, input))
    this.#projects = readProjects(this.#store)
    const { changed = [], deleted = [] } = (result ?? {}) as { changed?: number[]; deleted?: number[] }
    for (const issue of [...changed, ...deleted]) this.#news.issues.add(issue)
    return result
  }

  /** What happened since it was asked last. */
  takeNews(): News | undefined {
    const { issues, alerting } = this.#news
    if (issues.size === 0) return undefined
    const news = { issues: [...issues], alerting: [...alerting] }
    issues.clear()
    alerting.clear()
    return news
  }

  get stats(): EngineStats {
    return { stored: { ...this.#stored }, drops: this.#drops.total, bytes: usedBytes(this.#store), lag: this.#lag }
  }

  #commit(envelopes: readonly IncomingEnvelope[], isTight: boolean): IngestOutcome[] {
    const projects = new Set(this.#projects.map(({ id }) => id))
    const now = this.#now()
    try {
      const outcomes = this.#store.transaction(() => {
        const outcomes = this.#ingest.store(envelopes, projects, isTight)
        this.#drops.write(this.#store, now)
        return outcomes
      })
      this.#drops.settle()
      for (const [type, count] of this.#ingest.stored) this.#stored[type] = (this.#stored[type] ?? 0) + count
      this.#lag = now - Math.max(...envelopes.map(({ meta }) => meta.receivedAt))
      return outcomes
    } catch (error) {
      this.#drops.revert()
      this.#releases.forget()
      throw error
    }
  }
}

/** Bytes of the file that hold something. */
export function usedBytes(store: Store): number {
  const pragma = (name: string) => Object.values(store.get(`PRAGMA ${name}`)!)[0] as number
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}
