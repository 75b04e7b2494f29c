import type { Store } from '../store/store.ts'
import type { VisitorHint } from './visitors.ts'

/** One item of an envelope. */
export interface Item {
  type: string
  /** Its header line. */
  header: Readonly<Record<string, unknown>>
  payload: Uint8Array
}

/** What is known of an envelope while its items are stored, inside one transaction. */
export interface IngestContext {
  store: Store
  project: number
  /** When the envelope came, milliseconds since the epoch. */
  receivedAt: number
  /** When its client says it was sent: how far its clock is off. */
  sentAt?: number
  /** Event id in the envelope's header. */
  eventId?: string
  /** The environment that an item names, as far as its project has room for names; '' for none. */
  environmentOf: (value: unknown) => string
  /** The id of a version, which is made when it is new; null for none. */
  releaseOf: (version: string | undefined) => number | null
  /**
   * Whom something happened to: the user's id, else a keyed hash of the name, or of the address and user agent.
   * @param isClient whether the envelope came from that very visitor, and its address is his. @default true
   */
  visitorOf: (user: VisitorHint | undefined, userAgent: string | undefined, isClient?: boolean) => string | undefined
  /** Counts what is let go. */
  drop: (reason: string, category: string, quantity: number) => void
}

/** Stores an item. What it throws, the item is dropped with, as `invalid`; the others of its envelope are kept. */
export type ItemHandler = (item: Item, context: IngestContext) => void
