import { groupEvent } from '../grouping/group.ts'
import type { Symbolicator } from '../symbolication/index.ts'
import type { ItemHandler } from './context.ts'
import { environmentOf } from './environment.ts'
import { normaliseEvent } from './normalise/event.ts'
import { hasEvent, recordEvent } from './record-event.ts'

/** Issues that something happened to. */
export interface NewsBook {
  issues: Set<number>
  /** Of those, new or back. */
  alerting: Set<number>
}

export interface EventHandlerOptions {
  news: NewsBook
  symbolicator: Symbolicator
  /** Whether there is room for payloads at the moment. */
  keepsPayloads: () => boolean
}

/** Stores events: normalised, led back to their sources, grouped. One that was stored before changes nothing. */
export function createEventHandler({ news, symbolicator, keepsPayloads }: EventHandlerOptions): ItemHandler {
  return function storeEvent({ payload }, context) {
    const { detail, visitor: hint, userAgent, debugIds } = normaliseEvent(payload, context)
    const { store, project } = context
    if (hasEvent(store, project, detail.eventId)) return
    detail.environment = environmentOf(detail.environment, context)
    const frames = symbolicator.resolve(detail, debugIds)
    const { issue, isAlerting } = recordEvent(
      {
        detail,
        grouping: groupEvent(detail),
        frames,
        release: context.releaseOf(detail.release),
        visitor: context.visitorOf(hint, userAgent, detail.side === 'browser'),
        keepsPayload: keepsPayloads()
      },
      context
    )
    news.issues.add(issue)
    if (isAlerting) news.alerting.add(issue)
  }
}
