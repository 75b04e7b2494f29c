import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { OWN_PROJECT, type Project } from './model.ts'
import type { Store } from './store.ts'

/** Creates the public key of a DSN: 32 hex digits, like Sentry's. */
export const createKey = (): string => randomBytes(16).toString('hex')

/**
 * Creates the first project, which is the application's own, if it does not exist.
 * @param key key of a setting, which replaces another one. @default the key stays, and is generated at first
 */
export function ensureOwnProject(store: Store, now: number, key?: string): void {
  store.write(
    "INSERT INTO project (id, name, key, created) VALUES (?, 'This application', ?, ?) ON CONFLICT DO NOTHING",
    OWN_PROJECT,
    key ?? createKey(),
    now
  )
  if (key !== undefined) store.write('UPDATE project SET key = ? WHERE id = ? AND key <> ?', key, OWN_PROJECT, key)
}

/** Returns the projects that accept envelopes: those that are not removed. */
export const readProjects = (store: Store): Project[] =>
  store
    .recall<Project>('SELECT id, name, key, created FROM project WHERE removed IS NULL ORDER BY id')
    .map((row) => ({ ...row }))

/** Maximum characters of a release's version, as in Relay. */
const MAX_VERSION = 250

/**
 * Maximum releases of a project. Any client can send new versions, and rollups have rows for each. A guess: three a day
 * for a year.
 */
const MAX_RELEASES = 1_000

const CONTROL = /\p{Cc}/gu

export const toVersion = (text: string): string => text.slice(0, MAX_VERSION).replace(CONTROL, '').toWellFormed().trim()

/** Caches the releases of all projects: every item names one. */
export class Releases {
  readonly #store: Store
  readonly #known = new LRUCache<string, { id: number; seen: number }>({ max: 2 * MAX_RELEASES })

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Returns the id of a version; creates the release if it is new. Ids ascend in the order of the first boot or event.
   * @param at milliseconds since the epoch
   * @returns null if the project has too many releases
   */
  getOrCreateId(project: number, version: string, at: number): number | null {
    const name = `${project} ${version}`
    const known = this.#known.get(name)
    // `last_seen` is exact to a minute, which saves a write for each event.
    if (known !== undefined && at < known.seen + 60_000) return known.id
    this.#store.lock()
    const id = this.#touch(project, version, at) ?? this.#add(project, version, at)
    if (id === null) return null
    this.#known.set(name, { id, seen: at })
    return id
  }

  #touch(project: number, version: string, at: number): number | undefined {
    return this.#store.get<{ id: number }>(
      'UPDATE release SET last_seen = max(last_seen, ?) WHERE project = ? AND version = ? RETURNING id',
      at,
      project,
      version
    )?.id
  }

  #add(project: number, version: string, at: number): number | null {
    const { releases } = this.#store.get<{ releases: number }>(
      'SELECT count(*) AS releases FROM release WHERE project = ?',
      project
    )!
    if (releases >= MAX_RELEASES) return null
    return this.#store.insert(
      'INSERT INTO release (project, version, first_seen, last_seen) VALUES (?, ?, ?, ?)',
      project,
      version,
      at,
      at
    )
  }

  /** Clears the cache. Call it after a rollback, or after releases were removed. */
  forget(): void {
    this.#known.clear()
  }
}

/** Adjusts the number of issues that a release introduced, after a merge or a deletion. */
export function countNew(store: Store, release: number | null, by: 1 | -1): void {
  if (release !== null) store.write('UPDATE release SET new_issues = max(0, new_issues + ?) WHERE id = ?', by, release)
}
