import type { Test } from 'tap'
import { DAY, HOUR } from '@hull/common/time.ts'
import type { Promised } from '../../../src/store/inbox.ts'
import type { EventDetail } from '../../../src/store/model.ts'
import type { Queries } from '../../../src/queries/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { SeedWriter, type SeedEvent, type SeedIssue } from '../../../src/seed/seed-writer.ts'

/** Opens a store of one kind of database that the inbox supports. */
export interface Opened {
  store: Store
  queries: Promised<Queries>
}

/** Opens an empty store, which is closed with the test. */
export type OpenStore = (t: Test) => Promise<Opened>

type SceneEvent = Partial<SeedEvent> & { ago: number; detail?: Partial<EventDetail> }

/** Fills a store with the data that a test describes. */
export class Scene {
  readonly now = Date.now()
  readonly writer: SeedWriter
  readonly issues = new Map<string, number>()
  #events = 0

  constructor(store: Store) {
    this.writer = new SeedWriter(store)
    this.writer.project(1, 'Shop', 'a'.repeat(32), this.now - 30 * DAY)
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
  issue(name: string, { project = 1, ...issue }: Partial<SeedIssue> & { project?: number } = {}): number {
    const id = this.writer.issue(project, {
      type: 'TypeError',
      value: name,
      culprit: 'packages/shell/src/client/entry/root.tsx:run',
      level: 'error',
      side: 'browser',
      ...issue
    })
    this.writer.key(id, String(id).padStart(64, '0'), { by: 'frames', parts: [name] }, this.now)
    this.issues.set(name, id)
    return id
  }

  /**
   * Adds an event.
   * @param event `ago` is the age of the event in hours
   * @returns the id of the event
   */
  event(name: string, { ago, detail, ...given }: SceneEvent): string {
    const eventId = given.eventId ?? (++this.#events).toString(16).padStart(32, '0')
    const at = Math.round(this.now - ago * HOUR)
    const event: SeedEvent = { level: 'error', release: 0, environment: 'production', at, ...given, eventId }
    const row = this.writer.event(this.issues.get(name)!, event)
    if (detail) this.writer.payload(row, { eventId, ...detail } as EventDetail)
    return eventId
  }

  /** Writes the rollups. */
  done(): void {
    this.writer.flush()
  }

  change(name: string, columns: Record<string, string | number | null>): void {
    const set = Object.keys(columns).map((column) => `${column} = ?`)
    this.writer.store.run(
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
