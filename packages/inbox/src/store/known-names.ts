import { LRUCache } from 'lru-cache'
import { DAY } from '@hull/common/time.ts'
import type { Store } from './store.ts'

/**
 * Maximum names of each kind in a project. Rollups have a row for each name, and any client can send new names. Ours.
 */
const MAX_NAMES = { browser: 500, server: 500, environment: 50, drop: 200 } as const

export type NameKind = keyof typeof MAX_NAMES

/** Replaces all names above the maximum. */
export const OTHERS = '(others)'

/** Maximum names in memory: as many as eight projects can have. */
const MAX_CACHED = 10_000

interface SeenName {
  project: number
  kind: NameKind
  name: string
  /** Days since the epoch. */
  day: number
}

/**
 * The names of routes of one side, environments, and reasons of drops. The retention removes those that are no longer
 * used: a name in memory has its row, or gets it again with its next day.
 */
export class KnownNames {
  readonly #store: Store
  /** Names with a row. */
  readonly #known = new LRUCache<string, SeenName>({ max: MAX_CACHED })
  /** Names of this batch whose row is to be written. */
  readonly #changed = new Map<string, SeenName>()
  /**
   * The stored names with their days, by project and kind, and those of this batch. All of a kind are read at once:
   * a batch may have thousands that are not stored.
   */
  readonly #days = new Map<string, Map<string, number>>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * Returns the name if it is known or the project has room for it, {@link OTHERS} otherwise. {@link write} then stores
   * the name.
   * @param at milliseconds since the epoch
   */
  nameOf(project: number, kind: NameKind, name: string, at: number): string {
    const key = `${project} ${kind} ${name}`
    const day = Math.floor(at / DAY)
    const known = this.#changed.get(key) ?? this.#known.get(key) ?? this.#find(project, kind, name)
    if (known === undefined && !this.#takesRoom(project, kind, name, day)) return OTHERS
    const seen = known !== undefined && known.day >= day ? known : { project, kind, name, day }
    if (seen === known) this.#known.set(key, seen)
    else this.#changed.set(key, seen)
    return name
  }

  /** Stores the names of this batch. */
  write(): void {
    this.#store.insertRows(
      'INSERT INTO known_name (project, kind, name, last_day)',
      [...this.#changed.values()].map(({ project, kind, name, day }) => [project, kind, name, day]),
      'ON CONFLICT (project, kind, name) DO UPDATE SET last_day = excluded.last_day'
    )
    for (const [key, seen] of this.#changed) this.#known.set(key, seen)
    this.#changed.clear()
    this.#days.clear()
  }

  /** Call it after a rollback. */
  forget(): void {
    this.#known.clear()
    this.#changed.clear()
    this.#days.clear()
  }

  #find(project: number, kind: NameKind, name: string): SeenName | undefined {
    const day = this.#daysOf(project, kind).get(name)
    return day === undefined ? undefined : { project, kind, name, day }
  }

  /** @returns whether there was room for one more name */
  #takesRoom(project: number, kind: NameKind, name: string, day: number): boolean {
    const days = this.#daysOf(project, kind)
    if (days.size >= MAX_NAMES[kind]) return false
    days.set(name, day)
    return true
  }

  #daysOf(project: number, kind: NameKind): Map<string, number> {
    const key = `${project} ${kind}`
    const known = this.#days.get(key)
    if (known !== undefined) return known
    const rows = this.#store.all<{ name: string; day: number }>(
      'SELECT name, last_day AS day FROM known_name WHERE project = ? AND kind = ?',
      project,
      kind
    )
    const days = new Map(rows.map(({ name, day }) => [name, day]))
    this.#days.set(key, days)
    return days
  }
}
