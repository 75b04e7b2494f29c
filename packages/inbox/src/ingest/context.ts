import type { AttachmentLimits } from './items/attachment.ts'
import type { BatchAccumulator } from './batch-accumulator.ts'
import type { NameKind } from '../store/known-names.ts'
import type { Store } from '../store/store.ts'
import type { VisitorHint } from './visitors.ts'

/** One item of an envelope. */
export interface Item {
  type: string
  /** The parsed header line. */
  header: Readonly<Record<string, unknown>>
  payload: Uint8Array
}

/** The envelope whose items are being stored, inside one transaction. */
export interface IngestContext {
  store: Store
  project: number
  /** Milliseconds since the epoch when the envelope was received. */
  receivedAt: number
  /** Milliseconds since the epoch when it is stored. Later than `receivedAt` for an envelope that waited in a spool. */
  now: number
  /** Milliseconds since the epoch when the envelope was sent, by the client's clock. Used to correct that clock. */
  sentAt?: number
  /** Valid event id in the envelope's header. */
  eventId?: string | undefined
  /** Returns a name of this kind, or a collective name if its project has too many. */
  nameOf: (kind: NameKind, name: string) => string
  /** Returns the name of an item's environment, or a collective name if its project has too many; '' if it has none. */
  environmentOf: (value: unknown) => string
  /** Returns the id of a version, and creates the release if it is new; null if there is no version or no room. */
  releaseOf: (version: string | undefined) => number | null
  /**
   * Returns the visitor's id: the user's id, else a keyed hash of the name, or of the address and user agent.
   * @param isClient whether the visitor sent the envelope, so that its address is the visitor's
   * @default true
   */
  visitorOf: (user: VisitorHint | undefined, userAgent: string | undefined, isClient?: boolean) => string | undefined
  attachments: AttachmentLimits
  /** Number of log lines that the rest of the envelope may have. */
  linesLeft: number
  /** Records and counts of the batch, which are written at its end. Those of an item that fails are discarded. */
  batch: BatchAccumulator
  /** Counts dropped items. */
  drop: (reason: string, category: string, quantity: number) => void
}

/** Stores an item. If the handler throws, the item is dropped as `invalid`; the envelope's other items are stored. */
export type ItemHandler = (item: Item, context: IngestContext) => void
