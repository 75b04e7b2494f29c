import type { Envelope } from '@hull/monitoring'
import { isUtf8 } from 'node:buffer'
import { categoryOf, MAX_ITEMS, parseDsn } from '@hull/monitoring/envelope'
import { getOrInsert } from '../get-or-insert.ts'
import { storeAttachment, type AttachmentLimits } from './items/attachment.ts'
import type { BatchAccumulator } from './batch-accumulator.ts'
import { storeCheckIn } from './items/check-in.ts'
import { storeClientReport } from './items/client-report.ts'
import type { IngestContext, Item, ItemHandler } from './context.ts'
import { REFUSED_CATEGORIES, type Drops } from './drops.ts'
import { addDeliveries, askDelivery, forgetOldDeliveries } from './delivery-keys.ts'
import type { EventHandler } from './items/event.ts'
import { storeFeedback, storeUserReport } from './items/feedback.ts'
import { toCount, toId, toText } from './fields.ts'
import { storeLogs } from './items/log.ts'
import { storeRaw } from './items/raw-item.ts'
import { storeSession, storeSessions } from './items/session.ts'
import { storeSpans } from './items/span.ts'
import { storeTransaction } from './items/transaction.ts'
import { Visitors } from './visitors.ts'
import { isStorageError } from '../store/store-errors.ts'
import type { IngestOutcome } from '../store/messages.ts'
import { toVersion, type Releases } from '../store/projects.ts'
import type { ItemCount } from '../store/item-types.ts'
import { MAX_ENVIRONMENT, OWN_PROJECT } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/**
 * Maximum log lines of an envelope; SDKs send at most a hundred. A small compressed body can hold a million, which take a
 * gigabyte of memory, and longer than PostgreSQL keeps a transaction open. Ours.
 */
const MAX_ENVELOPE_LINES = 10_000

/**
 * Maximum versions that an envelope names; SDKs name one, and `replay` one for each of its 100 lines. The items of
 * further ones have no release. Each new one takes some statements, and locks the store.
 */
const MAX_ENVELOPE_VERSIONS = 100

/**
 * Maximum bytes of an item that is parsed as JSON. SDKs send up to 5 MB of spans in one. Twenty MiB of JSON, which
 * compressed are 20 KB, can take more memory than the inbox's thread has. Ours.
 */
const MAX_JSON_BYTES = 8 * 1024 ** 2

/** Item types that are stored even if the store is full: they are small and say what happened. */
const SMALL = new Set(['event', 'session', 'sessions', 'client_report', 'check_in', 'feedback', 'user_report'])

export interface IngestOptions {
  releases: Releases
  drops: Drops
  /** Records and counts of the batch. */
  batch: BatchAccumulator
  attachments: AttachmentLimits
  event: EventHandler
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Envelopes to store in one commit. */
export interface Batch {
  envelopes: readonly Envelope[]
  /**
   * Identifies the batch. A batch whose key was committed before is not stored again.
   * @default the batch is always stored
   */
  key: string | undefined
  /** Whether the store is full, so that only small items are stored. */
  isStoreFull: boolean
  /**
   * Whether each item is written by itself, so that an item that cannot be written is dropped alone. Slow.
   * @default false: the items are written together, and one that cannot be written makes all fail
   */
  isItemByItem?: boolean
}

/** Thrown for a batch whose key was committed before, which is only known when its items are written. */
export class StoredBefore extends Error {
  override name = 'StoredBefore'
  readonly outcomes: IngestOutcome[]

  constructor(outcomes: IngestOutcome[]) {
    super('the batch was stored before')
    this.outcomes = outcomes
  }
}

/** Parses envelopes and calls the handler of each item. Handlers read and check; the batch then writes. */
export class Ingest {
  readonly #store: Store
  readonly #options: IngestOptions
  readonly #visitors: Visitors
  /** Items of the batch, by type. */
  readonly #counts = new Map<string, ItemCount>()
  readonly #issues = new Set<number>()

  /** Call it inside a transaction. */
  constructor(store: Store, options: IngestOptions) {
    this.#store = store
    this.#options = options
    this.#visitors = new Visitors(store)
  }

  /**
   * Stores a batch. Call it inside a transaction that may read first. Ignores envelopes that were stored before.
   * @param projects ids of the projects that accept envelopes
   * @throws StoredBefore if the batch was: nothing of it must be committed
   */
  store(given: Batch, projects: ReadonlySet<number>): IngestOutcome[] {
    const { envelopes, key } = given
    this.#counts.clear()
    this.#issues.clear()
    const accepted = envelopes.map((envelope) => ({ envelope, project: projectOf(envelope, projects) }))
    const newKeys = addDeliveries(
      this.#store,
      accepted.flatMap(({ envelope, project }) => (project === undefined ? [] : (envelope.meta.key ?? [])))
    )
    const outcomes = accepted.map(({ envelope, project }): IngestOutcome => {
      if (project === undefined) return 'refused'
      const { key } = envelope.meta
      // Of envelopes with the same key, the first is stored.
      if (key === undefined || newKeys.delete(key)) this.#storeOne(envelope, project, given)
      return 'stored'
    })
    const isNew = key === undefined ? () => true : askDelivery(this.#store, key)
    this.#write(given)
    if (!isNew()) throw new StoredBefore(outcomes)
    forgetOldDeliveries(this.#store)
    return outcomes
  }

  /** Items of the last batch, by type. */
  get counts(): ReadonlyMap<string, ItemCount> {
    return this.#counts
  }

  /** Ids of the issues with events in the last batch. */
  get issues(): ReadonlySet<number> {
    return this.#issues
  }

  #storeOne({ meta, body }: Envelope, project: number, given: Batch): void {
    const { drops } = this.#options
    const context = this.#contextOf(meta, project)
    for (const item of readItems(body, () =>
      drops.add({ project, reason: 'invalid', category: 'default', quantity: 1 })
    )) {
      const reason = given.isStoreFull && !SMALL.has(item.type) ? 'full' : this.#storeItem(item, context, given)
      if (reason !== undefined) context.drop(reason, categoryOf(item.type), itemCountOf(item))
      this.#count(item.type, reason === undefined ? 'stored' : 'dropped')
    }
  }

  #count(type: string, as: keyof ItemCount): void {
    getOrInsert(this.#counts, type, () => ({ stored: 0, dropped: 0 }))[as] += 1
  }

  /** @returns why the item was dropped; undefined if it was stored */
  #storeItem(item: Item, context: IngestContext, given: Batch): string | undefined {
    if (REFUSED_CATEGORIES.includes(categoryOf(item.type))) return 'unsupported'
    if (item.payload.byteLength > MAX_JSON_BYTES && isJson(item.type)) return 'too_long'
    const handler = item.type === 'event' ? this.#options.event.read : findHandler(item.type)
    if (given.isItemByItem) return this.#writeItem(item, context, handler, given)
    const { batch } = this.#options
    try {
      handler(item, context)
      batch.commitItem()
      return undefined
    } catch (error) {
      if (isStorageError(error)) throw error
      batch.discardItem()
      return 'invalid'
    }
  }

  #write({ isStoreFull }: Batch): void {
    this.#store.lock()
    for (const issue of this.#options.event.write(!isStoreFull)) this.#issues.add(issue)
    this.#options.batch.write()
  }

  #writeItem(item: Item, context: IngestContext, handler: ItemHandler, given: Batch): string | undefined {
    const store = this.#store
    const { batch, releases } = this.#options
    store.lock()
    try {
      store.attempt(() => {
        handler(item, context)
        batch.commitItem()
        this.#write(given)
      })
      return undefined
    } catch (error) {
      // A storage error is not the item's fault: the batch is rolled back.
      if (isStorageError(error)) throw error
      batch.clear()
      releases.forget()
      return 'invalid'
    }
  }

  #contextOf(meta: Envelope['meta'], project: number): IngestContext {
    const { releases, drops, batch, attachments, now } = this.#options
    const { header, receivedAt, sentAt, clientAddress } = meta
    const nameOf: IngestContext['nameOf'] = (kind, name) => batch.names.nameOf(project, kind, name, receivedAt)
    const versions = new Set<string>()
    return {
      store: this.#store,
      project,
      receivedAt,
      now: now(),
      batch,
      attachments,
      linesLeft: MAX_ENVELOPE_LINES,
      sentAt,
      eventId: toId(header.event_id, 32),
      nameOf,
      environmentOf: (value) => {
        const name = toText(value, MAX_ENVIRONMENT)
        return name === undefined ? '' : nameOf('environment', name)
      },
      releaseOf(text) {
        const version = toVersion(text ?? '')
        if (version === '' || (versions.size === MAX_ENVELOPE_VERSIONS && !versions.has(version))) return null
        versions.add(version)
        return releases.getOrCreateId(project, version, receivedAt)
      },
      visitorOf: (user, userAgent, isClient = true) =>
        this.#visitors.idOf(user, isClient ? clientAddress : undefined, userAgent),
      drop: (reason, category, quantity) => drops.add({ project, reason, category, quantity })
    }
  }
}

/** Returns the number of entries that an item's header claims. Use it for counts only. */
function itemCountOf({ header }: Item): number {
  return Math.min(Math.max(toCount(header.item_count), 1), 10_000)
}

/**
 * Returns the project of an envelope from its header's `dsn`. Intake has already checked the key. Project 0 stands for
 * the tunnel itself, and so for the application's own project.
 * @returns undefined if it is none of `projects`
 */
function projectOf({ meta }: Envelope, projects: ReadonlySet<number>): number | undefined {
  const text = typeof meta.header.dsn === 'string' ? meta.header.dsn : meta.dsn
  const named = parseDsn(text)?.project
  const project = named === undefined ? undefined : Number(named) || OWN_PROJECT
  return project !== undefined && projects.has(project) ? project : undefined
}

const HANDLERS = new Map<string, ItemHandler>([
  ['transaction', storeTransaction],
  ['span', storeSpans],
  ['session', storeSession],
  ['sessions', storeSessions],
  ['client_report', storeClientReport],
  ['feedback', storeFeedback],
  ['user_report', storeUserReport],
  ['check_in', storeCheckIn],
  ['log', storeLogs],
  ['otel_log', storeLogs],
  ['attachment', storeAttachment]
])

/** Returns the handler for a type of items; unknown types are stored as they are. Events have a separate handler. */
const findHandler = (type: string): ItemHandler => HANDLERS.get(type) ?? storeRaw

/** Whether the handler of a type parses the whole payload. */
const isJson = (type: string): boolean => type !== 'attachment' && HANDLERS.has(type)

const NEWLINE = 0x0a

/**
 * Yields the items of an envelope. The rules are those of `ItemScanner` in @hull/monitoring.
 * @param body the envelope without its header line
 * @param onMalformed called if the rest is malformed; the items before it were yielded
 */
export function* readItems(body: Uint8Array, onMalformed: () => void): Generator<Item> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let at = 0
  for (let items = 0; ; items++) {
    while (bytes[at] === NEWLINE) at++ // point 5
    if (at >= bytes.length) return
    const newline = lineEnd(bytes, at)
    const header = items < MAX_ITEMS ? readHeader(bytes.subarray(at, newline)) : undefined
    if (header === undefined) return onMalformed()
    const start = Math.min(newline + 1, bytes.length)
    const { type, length } = header
    const end = length == null ? lineEnd(bytes, start) : start + (length as number) // points 2, 3, 4
    if (end > bytes.length || (length != null && end < bytes.length && bytes[end] !== NEWLINE)) return onMalformed()
    yield { type: type as string, header, payload: bytes.subarray(start, end) }
    at = end + 1
  }
}

function lineEnd(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from)
  return newline === -1 ? bytes.length : newline
}

function readHeader(line: Buffer): Record<string, unknown> | undefined {
  try {
    const header: unknown = isUtf8(line) ? JSON.parse(line.toString()) : undefined
    if (typeof header !== 'object' || header === null) return undefined
    const { type, length } = header as Record<string, unknown>
    if (typeof type !== 'string' || type === '') return undefined
    if (length != null && !(Number.isSafeInteger(length) && (length as number) >= 0)) return undefined
    return header as Record<string, unknown>
  } catch {
    return undefined
  }
}
