import type { EventDetail, Grouping } from '../../store/model.ts'
import type { Cursors } from '../cursor.ts'
import type { AttachmentRow } from './attachments.ts'

export interface EventRow {
  id: number
  eventId: string
  at: number
  release?: string
  environment: string
  url?: string
  browser?: string
  visitor?: string
  traceId?: string
  hasPayload: boolean
}

export interface EventList extends Cursors {
  events: EventRow[]
  /** Stored events of the issue, counted up to MAX_COUNT + 1. */
  total: number
}

export interface EventView {
  row: EventRow
  /** Undefined if the payload was not stored. */
  detail?: EventDetail
  /** Why the event belongs to this issue. */
  why?: Grouping['why']
  /** Event ids for the links to the previous, next, oldest and newest event. */
  older?: string
  newer?: string
  attachments: AttachmentRow[]
  feedback: { name?: string; email?: string; message: string; at: number; attachments: AttachmentRow[] }[]
}
