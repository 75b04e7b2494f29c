import type { Test } from 'tap'
import type { Promised } from '../../../src/store/inbox.ts'
import type { EventDetail } from '../../../src/store/model.ts'
import type { Queries } from '../../../src/queries/types.ts'
import type { Store } from '../../../src/store/store.ts'
import { DAY, HOUR, Ledger, type SeedEvent, type SeedWords } from '../../../src/seed/ledger.ts'

/** Opens a store of one kind of database that the inbox supports. */
export interface Opened {
  store: Store
  queries: Promised<Queries>
}

/** Opens an empty store, which is closed with the test. */
export type OpenStore = (t: Test) => Promise<Opened>

export const HOURLY = HOUR
export const DAILY = DAY

type EventWords = Partial<SeedEvent> & { ago: number; detail?: Partial<EventDetail> }

/** Fills a store with the data that a test describes. */
export class Scene {
  readonly now = Date.now()
  readonly ledger: Ledger
  readonly issues = new Map<string, number>()
  #events = 0

  constructor(store: Store) {
    this.ledger = new Ledger(store)
    this.ledger.project(1, 'Shop', 'a'.repeat(32), this.now - 30 * DAY)
  }

  /** Returns a view of the last `days` days. */
  view(days = 30) {
    return { since: this.now - days * DAY, until: this.now + 1 }
  }

  /**
   * Adds an issue.
   * @param name the name of the issue in the test, and its value by default
   * @returns the id of the issue
   */
  issue(name: string, { project = 1, ...words }: Partial<SeedWords> & { project?: number } = {}): number {
    const id = this.ledger.issue(project, {
      type: 'TypeError',
      value: name,
      culprit: 'packages/shell/src/client/entry/root.tsx:run',
      level: 'error',
      side: 'browser',
      ...words
    })
    this.ledger.key(id, String(id).padStart(64, '0'), { by: 'frames', parts: [name] }, this.now)
    this.issues.set(name, id)
    return id
  }

  /**
   * Adds an event.
   * @param words `ago` is the age of the event in hours
   * @returns the id of the event
   */
  event(name: string, { ago, detail, ...words }: EventWords): string {
    const eventId = words.eventId ?? (++this.#events).toString(16).padStart(32, '0')
    const at = Math.round(this.now - ago * HOUR)
    const event: SeedEvent = { level: 'error', release: 0, environment: 'production', at, ...words, eventId }
    const row = this.ledger.event(this.issues.get(name)!, event)
    if (detail) this.ledger.payload(row, { eventId, ...detail } as EventDetail)
    return eventId
  }

  /** Writes the rollups. */
  done(): void {
    this.ledger.flush()
  }

  change(name: string, columns: Record<string, string | number | null>): void {
    const set = Object.keys(columns).map((column) => `${column} = ?`)
    this.ledger.store.run(
      `UPDATE issue SET ${set.join(', ')} WHERE id = ?`,
      ...Object.values(columns),
      this.issues.get(name)!
    )
  }

  /** Returns the names of issues. */
  namesOf(issues: readonly { id: number }[]): string[] {
    const names = new Map([...this.issues].map(([name, id]) => [id, name]))
    return issues.map(({ id }) => names.get(id) ?? `issue ${id}`)
  }
}
