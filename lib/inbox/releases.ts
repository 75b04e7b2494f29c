import type { Store } from './store.ts'

/** Characters of a release's or environment's name, as Relay has it. */
const MAX_VERSION = 250
const MAX_ENVIRONMENT = 64

const CONTROL = /\p{Cc}/gu

export const toVersion = (text: string): string => text.replace(CONTROL, '').trim().slice(0, MAX_VERSION)
export const toEnvironment = (text: string): string => text.replace(CONTROL, '').trim().slice(0, MAX_ENVIRONMENT)

/** Keeps the releases of all projects at hand: every item names one. */
export class Releases {
  readonly #store: Store
  readonly #known = new Map<string, { id: number; seen: number }>()

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * The id of a version, made when it is new: ids grow in the order of first boot or first event.
   * @param at milliseconds since the epoch
   */
  idOf(project: number, version: string, at: number): number {
    const name = `${project} ${version}`
    const known = this.#known.get(name)
    // To the minute is exact enough, and one write less for each event.
    if (known !== undefined && at < known.seen + 60_000) return known.id
    const { id } = this.#store.get<{ id: number }>(
      `INSERT INTO release (project, version, first_seen, last_seen) VALUES (?, ?, ?, ?)
       ON CONFLICT (project, version) DO UPDATE SET last_seen = max(last_seen, excluded.last_seen) RETURNING id`,
      project,
      version,
      at,
      at
    )!
    if (this.#known.size > 1_000) this.#known.clear()
    this.#known.set(name, { id, seen: at })
    return id
  }

  /** After a transaction that was taken back, or releases that were removed. */
  forget(): void {
    this.#known.clear()
  }
}
