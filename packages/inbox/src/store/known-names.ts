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
  /** Number of names by project and kind, including those of this batch. */
  readonly #counts = new Map<string, number>()

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
    const known = this.#changed.get(key) ?? this.#known.get(key) ?? this.#read(project, kind, name)
    if (known === undefined && !this.#takesRoom(project, kind)) return OTHERS
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
    this.#counts.clear()
  }

  /** Call it after a rollback. */
  forget(): void {
    this.#known.clear()
    this.#changed.clear()
    this.#counts.clear()
  }

  #read(project: number, kind: NameKind, name: string): SeenName | undefined {
    const row = this.#store.get<{ day: number }>(
      'SELECT last_day AS day FROM known_name WHERE project = ? AND kind = ? AND name = ?',
      project,
      kind,
      name
    )
    return row && { project, kind, name, day: row.day }
  }

  /** @returns whether there was room for one more name */
  #takesRoom(project: number, kind: NameKind): boolean {
    const key = `${project} ${kind}`
    const names = this.#counts.get(key) ?? this.#count(project, kind)
    const hasRoom = names < MAX_NAMES[kind]
    this.#counts.set(key, names + Number(hasRoom))
    return hasRoom
  }

  #count(project: number, kind: NameKind): number {
    return this.#store.get<{ names: number }>(
      'SELECT count(*) AS names FROM known_name WHERE project = ? AND kind = ?',
      project,
      kind
    )!.names
  }
}
