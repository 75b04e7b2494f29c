import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { OWN_PROJECT, type Project } from './model.ts'
import type { Store } from './store.ts'

/** The public part of a DSN: 32 hex digits, as those of Sentry have. */
export const createKey = (): string => randomBytes(16).toString('hex')

/** Makes the application's own project where there is none. */
export function ensureOwnProject(store: Store, now: number): void {
  store.run(
    "INSERT OR IGNORE INTO project (id, name, key, created) VALUES (?, 'This application', ?, ?)",
    OWN_PROJECT,
    createKey(),
    now
  )
}

/** Those that take something. */
export const readProjects = (store: Store): Project[] =>
  store
    .all<Project>('SELECT id, name, key, created FROM project WHERE removed IS NULL ORDER BY id')
    .map((row) => ({ ...row }))

/** Characters of a release's name, as Relay has it. */
const MAX_VERSION = 250

/** Releases of a project: anybody may send names, and rollups hold rows for each. A guess: three a day for a year. */
const MAX_RELEASES = 1_000

const CONTROL = /\p{Cc}/gu

export const toVersion = (text: string): string => text.slice(0, MAX_VERSION).replace(CONTROL, '').toWellFormed().trim()

/** Keeps the releases of all projects at hand: every item names one. */
export class Releases {
  readonly #store: Store
  readonly #known = new LRUCache<string, { id: number; seen: number }>({ max: 2 * MAX_RELEASES })

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * The id of a version, made when it is new: ids grow in the order of first boot or first event.
   * @param at milliseconds since the epoch
   * @returns null where the project has too many
   */
  idOf(project: number, version: string, at: number): number | null {
    const name = `${project} ${version}`
    const known = this.#known.get(name)
    // To the minute is exact enough, and one write less for each event.
    if (known !== undefined && at < known.seen + 60_000) return known.id
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
    return this.#store.run(
      'INSERT INTO release (project, version, first_seen, last_seen) VALUES (?, ?, ?, ?)',
      project,
      version,
      at,
      at
    ).id
  }

  /** After a transaction that was taken back, or releases that were removed. */
  forget(): void {
    this.#known.clear()
  }
}

/** Corrects the count of issues that a release brought, after a merge or a removal. */
export function countNew(store: Store, release: number | null, by: 1 | -1): void {
  if (release !== null) store.run('UPDATE release SET new_issues = max(0, new_issues + ?) WHERE id = ?', by, release)
}

/** How many of each kind a project may have: rollups hold a row for each of them, and anybody may send names. Ours. */
const MOST = { browser: 500, server: 500, environment: 50, drop: 200 } as const

export type NameKind = keyof typeof MOST

/** What stands for all names past the bound. */
export const OTHERS = '(others)'

/**
 * The name itself as long as the project has not too many of its kind, {@link OTHERS} otherwise: a route of one side, an
 * environment, or what was dropped and why. Names that are not seen any more make room, with the retention.
 * @param at milliseconds since the epoch
 */
export function knownName(store: Store, project: number, kind: NameKind, name: string, at: number): string {
  const day = Math.floor(at / 86_400_000)
  const known = store.get<{ day: number }>(
    'SELECT last_day AS day FROM known_name WHERE project = ? AND kind = ? AND name = ?',
    project,
    kind,
    name
  )
  if (known) {
    if (known.day < day)
      store.run(
        'UPDATE known_name SET last_day = ? WHERE project = ? AND kind = ? AND name = ?',
        day,
        project,
        kind,
        name
      )
    return name
  }
  const { names } = store.get<{ names: number }>(
    'SELECT count(*) AS names FROM known_name WHERE project = ? AND kind = ?',
    project,
    kind
  )!
  if (names >= MOST[kind]) return OTHERS
  store.run('INSERT INTO known_name (project, kind, name, last_day) VALUES (?, ?, ?, ?)', project, kind, name, day)
  return name
}
