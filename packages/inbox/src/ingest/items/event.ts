import { groupEvent } from '../../grouping/group.ts'
import type { BatchAccumulator } from '../batch-accumulator.ts'
import type { IngestContext, ItemHandler } from '../context.ts'
import { normaliseEvent } from '../normalise/event.ts'
import { recordEvents, type EventRecord } from '../record-event.ts'
import type { EventDetail } from '../../store/model.ts'
import { IN_DAYS, type Store } from '../../store/store.ts'
import type { FoundMap } from '../../symbolication/map-finder.ts'
import type { Symbolicator } from '../../symbolication/symbolicator.ts'

/** An event of a batch, before it is grouped. */
export interface GatheredEvent {
  detail: EventDetail
  debugIds: ReadonlyMap<string, string>
  release: number | null
  visitor: string | undefined
  context: IngestContext
}

interface EventHandlerOptions {
  store: Store
  batch: BatchAccumulator
  symbolicator: Symbolicator
}

export interface EventHandler {
  /** Reads an event. */
  read: ItemHandler
  /**
   * Symbolicates, groups and stores the events of the batch. Ignores events that were stored before.
   * @param keepsPayload whether there is room for payloads
   * @returns the ids of their issues
   */
  write: (keepsPayload: boolean) => Iterable<number>
}

/** Creates the handler of events. */
export function createEventHandler(options: EventHandlerOptions): EventHandler {
  const { store, batch, symbolicator } = options
  return { read, write }

  function read({ payload }: Parameters<ItemHandler>[0], context: IngestContext): void {
    const { detail, visitor: hint, userAgent, debugIds } = normaliseEvent(payload, context)
    const visitor = context.visitorOf(hint, userAgent, detail.side === 'browser')
    detail.environment = context.environmentOf(detail.environment)
    batch.events.add({ detail, debugIds, release: context.releaseOf(detail.release), visitor, context })
  }

  function write(keepsPayload: boolean): Set<number> {
    const maps = new Map<string, FoundMap | undefined>()
    const records = withoutStored(store, batch.events.take()).map((event): EventRecord => {
      const { detail, debugIds, context } = event
      const frames = symbolicator.resolve(detail, debugIds, context.project, maps)
      return { ...event, frames, grouping: groupEvent(detail), keepsPayload }
    })
    return recordEvents(store, records, batch)
  }
}

/** Returns the events that were not stored before, each once, in their order. */
function withoutStored(store: Store, events: readonly GatheredEvent[]): GatheredEvent[] {
  const known = new Set<string>()
  for (const [project, group] of Map.groupBy(events, ({ context }) => context.project))
    for (const { id } of store.allIn<{ id: string }>(
      `SELECT event_id AS id FROM event WHERE project = ? AND ${IN_DAYS} AND event_id IN (:keys)`,
      group.map(({ detail }) => detail.eventId),
      project,
      ...store.daysSince(Math.min(...group.map(({ detail }) => detail.at)))
    ))
      known.add(`${project} ${id}`)
  return events.filter(({ detail, context }) => {
    const name = `${context.project} ${detail.eventId}`
    const isNew = !known.has(name)
    known.add(name)
    return isNew
  })
}
