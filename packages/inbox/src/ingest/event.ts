import { groupEvent } from '../grouping/group.ts'
import type { Symbolicator } from '../symbolication/symbolicator.ts'
import type { IngestContext, Item, ItemHandler } from './context.ts'
import { environmentOf } from './environment.ts'
import type { BatchAccumulator } from './batch-accumulator.ts'
import { normaliseEvent } from './normalise/event.ts'
import { hasEvent, recordEvent } from './record-event.ts'

/** Issues that something happened to. */
export interface NewsBook {
  issues: Set<number>
  /** Of those, new or back. */
  alerting: Set<number>
}

export interface EventHandlerOptions {
  batch: BatchAccumulator
  news: NewsBook
  symbolicator: Symbolicator
  /** Whether there is room for payloads at the moment. */
  keepsPayloads: () => boolean
}

/** Stores events: normalised, led back to their sources, grouped. One that was stored before changes nothing. */
export function createEventHandler({ news, batch, symbolicator, keepsPayloads }: EventHandlerOptions): ItemHandler {
  return function storeEvent(item, context) {
    try {
      store(item, context)
      batch.keep()
    } catch (error) {
      batch.drop()
      throw error
    }
  }

  function store({ payload }: Item, context: IngestContext): void {
    const { detail, visitor: hint, userAgent, debugIds } = normaliseEvent(payload, context)
    if (hasEvent(context.store, context.project, detail.eventId)) return
    detail.environment = environmentOf(detail.environment, context)
    const frames = symbolicator.resolve(detail, debugIds)
    const record = {
      detail,
      grouping: groupEvent(detail),
      frames,
      release: context.releaseOf(detail.release),
      visitor: context.visitorOf(hint, userAgent, detail.side === 'browser'),
      keepsPayload: keepsPayloads()
    }
    const { issue, isAlerting } = recordEvent(record, context, batch)
    news.issues.add(issue)
    if (isAlerting) news.alerting.add(issue)
  }
}
