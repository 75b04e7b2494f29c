import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { insertRow, writeRow } from './rows.ts'
import type { InboxSettings } from './messages.ts'
import { OWN_PROJECT, type Project } from './model.ts'
import type { Store } from './store.ts'
import { readSetting } from './stored-settings.ts'
import { DAY, MINUTE } from '@hull/common/time.ts'

/** Creates the public key of a DSN: 32 hex digits, like Sentry's. */
export const createKey = (): string => randomBytes(16).toString('hex')

/** Name of the first project of an inbox in an application. */
export const OWN_NAME = 'This application'

/**
 * Creates the first project, which is the application's own, if it does not exist.
 * @param settings `key` replaces another one. @default the key stays, and is generated at first
 * @throws Error if another project has the key
 */
export function ensureOwnProject(
  store: Store,
  now: number,
  { key, firstProject = OWN_NAME }: Pick<InboxSettings, 'key' | 'firstProject'> = {}
): void {
  const row = { id: OWN_PROJECT, name: firstProject, key: key ?? createKey(), created: now }
  writeRow(store, 'project', row, 'ON CONFLICT DO NOTHING')
  if (key === undefined) return
  const other = store.get<{ name: string }>('SELECT name FROM project WHERE key = ? AND id <> ?', key, OWN_PROJECT)
  if (other) throw new Error(`INBOX_KEY is the key of the project ${other.name}: give it another value`)
  store.write('UPDATE project SET key = ? WHERE id = ? AND key <> ?', key, OWN_PROJECT, key)
}

/** Returns the projects that accept envelopes: those that are not removed. */
export const readProjects = (store: Store): Project[] =>
  store
    .recall<Project>('SELECT id, name, key, created FROM project WHERE removed IS NULL ORDER BY id')
    .map((row) => ({ ...row }))

/** Returns a project that accepts envelopes. */
export const findProject = (store: Store, id: number): Project | undefined =>
  store.get<Project>('SELECT id, name, key, created FROM project WHERE id = ? AND removed IS NULL', id)

/** Maximum characters of a release's version, as in Relay. */
const MAX_VERSION = 250

/**
 * Maximum releases of a project that items create. Any client can send new versions, and rollups have rows for each. So a
 * release with rows is never replaced, not even by a real deploy: made-up versions would then fill the rollups. A guess:
 * three a day for a year.
 */
export const MAX_RELEASES = 1_000

/**
 * The oldest release that nothing refers to: no issue, commit or deploy, and no row of events, other items or counts,
 * because it was last seen before the retention. Not the newest, because SQLite would give its id to another release.
 */
const UNUSED = `SELECT id FROM release WHERE project = ?1 AND last_seen < ?2
  AND id < (SELECT max(id) FROM release WHERE project = ?1) AND released IS NULL AND commit_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM release_commit WHERE release_commit.release = release.id)
  AND NOT EXISTS (SELECT 1 FROM deploy WHERE deploy.release = release.id)
  AND id NOT IN (SELECT first_release FROM issue WHERE project = ?1 AND first_release IS NOT NULL
    UNION SELECT last_release FROM issue WHERE project = ?1 AND last_release IS NOT NULL
    UNION SELECT resolved_release FROM issue WHERE project = ?1 AND resolved_release IS NOT NULL)
  ORDER BY id LIMIT 1`

/**
 * SQL for whether a release has run: it booted, was deployed, or an item named it. One that a build tool only declared
 * was last seen before it was first seen.
 */
export const HAS_RUN = 'last_seen >= first_seen'

const CONTROL = /\p{Cc}/gu

export const toVersion = (text: string): string => text.slice(0, MAX_VERSION).replace(CONTROL, '').toWellFormed().trim()

/** Caches the releases of all projects: every item names one. */
export class Releases {
  readonly #store: Store
  readonly #known = new LRUCache<string, { id: number; seen: number }>({ max: 2 * MAX_RELEASES })
  /** Releases that run, which are created again if they were removed because nothing referred to them. */
  readonly #running = new Set<string>()
  /** Time of the last search for an unused release that found none, by project. */
  readonly #searchedAt = new Map<number, number>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Returns the id of a version that an item names; creates the release if it is new. Ids ascend in the order of the
   * first boot, deploy or event.
   * @param at milliseconds since the epoch
   * @returns null if the project has too many releases, and all are used
   */
  getOrCreateId(project: number, version: string, at: number): number | null {
    const name = `${project} ${version}`
    const known = this.#known.get(name)
    // `last_seen` is exact to a minute, which saves a write for each event.
    if (known !== undefined && at < known.seen + MINUTE) return known.id
    this.#store.lock()
    const found = this.#touch(project, version, at)
    if (found === undefined && !this.#makeRoom(project, at) && !this.#running.has(name)) return null
    const id = found ?? this.#add(project, version, at, at)
    this.#known.set(name, { id, seen: at })
    return id
  }

  /**
   * Returns the id of a version that runs here, or that an authorised tool deployed; creates the release if it is new,
   * even if the project has too many: made-up versions of clients must not end the tracking of real ones.
   * @param at milliseconds since the epoch
   */
  addRunning(project: number, version: string, at: number): number {
    this.#running.add(`${project} ${version}`)
    return this.getOrCreateId(project, version, at)!
  }

  /**
   * Returns the id of a version that an authorised tool declares; creates the release if it is new. Its id changes when
   * it runs for the first time.
   * @param at milliseconds since the epoch
   */
  declare(project: number, version: string, at: number): number {
    this.#store.lock()
    const sql = 'SELECT id FROM release WHERE project = ? AND version = ?'
    const found = this.#store.get<{ id: number }>(sql, project, version)
    return found?.id ?? this.#add(project, version, at, at - 1)
  }

  #touch(project: number, version: string, at: number): number | undefined {
    const found = this.#store.get<{ id: number }>(
      `UPDATE release SET last_seen = max(last_seen, ?) WHERE project = ? AND version = ? AND ${HAS_RUN} RETURNING id`,
      at,
      project,
      version
    )
    return found?.id ?? this.#begin(project, version, at)
  }

  /** Gives a declared release, which runs for the first time, the place in the order that a new one has. */
  #begin(project: number, version: string, at: number): number | undefined {
    const declared = this.#store.get<{ id: number; released: number | null; commit: string | null }>(
      'DELETE FROM release WHERE project = ? AND version = ? RETURNING id, released, commit_id AS "commit"',
      project,
      version
    )
    if (declared === undefined) return undefined
    const id = this.#add(project, version, at, at)
    const { released, commit } = declared
    this.#store.write('UPDATE release SET released = ?, commit_id = ? WHERE id = ?', released, commit, id)
    this.#store.write('UPDATE release_commit SET release = ? WHERE release = ?', id, declared.id)
    return id
  }

  /** Removes a release that nothing refers to, if the project has too many. @returns whether there is room for one more */
  #makeRoom(project: number, at: number): boolean {
    const { releases } = this.#store.get<{ releases: number }>(
      'SELECT count(*) AS releases FROM release WHERE project = ?',
      project
    )!
    if (releases < MAX_RELEASES) return true
    // The search reads all issues of the project.
    if (Math.abs(at - (this.#searchedAt.get(project) ?? -Infinity)) < MINUTE) return false
    const days = readSetting(this.#store, 'retention_days')
    // A day more, because the retention takes some hours to delete the last rows.
    const unused =
      days === undefined ? undefined : this.#store.get<{ id: number }>(UNUSED, project, at - (days + 1) * DAY)
    if (unused === undefined) {
      this.#searchedAt.set(project, at)
      return false
    }
    this.#store.write('DELETE FROM release WHERE id = ?', unused.id)
    this.forget()
    return releases <= MAX_RELEASES
  }

  #add(project: number, version: string, firstSeen: number, lastSeen: number): number {
    return insertRow(this.#store, 'release', { project, version, first_seen: firstSeen, last_seen: lastSeen })
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
