import type { Envelope } from '@hull/monitoring'
import { isUtf8 } from 'node:buffer'
import { categoryOf, MAX_ITEMS, parseDsn } from '@hull/monitoring/envelope'
import type { IngestContext, Item, ItemHandler } from './context.ts'
import { REFUSED_CATEGORIES, type Drops } from './drops.ts'
import { storeFeedback, storeUserReport } from './feedback.ts'
import { toCount, toText } from './fields.ts'
import { storeAttachment, storeCheckIn, storeClientReport, storeLogs, storeRaw } from './items.ts'
import { storeSession, storeSessions } from './session.ts'
import { storeSpans } from './span.ts'
import { storeTransaction } from './transaction.ts'
import { Visitors } from './visitors.ts'
import { isStorageError } from '../store/file.ts'
import type { IngestOutcome } from '../store/messages.ts'
import { knownName, toVersion, type Releases } from '../store/projects.ts'
import { OWN_PROJECT } from '../store/model.ts'
import type { Store } from '../store/store.ts'

/** Characters of an environment, as Sentry's protocol has it. */
const MAX_ENVIRONMENT = 64

/** Types that are stored although there is no room for others: they are small, and tell what happened. */
const SMALL = new Set(['event', 'session', 'sessions', 'client_report'])

export interface IngestOptions {
  releases: Releases
  drops: Drops
  /** Stores events. */
  event: ItemHandler
}

/** Envelopes of one commit. */
export interface Batch {
  envelopes: readonly Envelope[]
  /** Identifies the batch: one with a key that was committed before is not stored again. @default it is stored */
  key: string | undefined
  /** There is no room: only what is small is stored. */
  isTight: boolean
}

/** Takes envelopes apart, and gives each item to what stores it. */
export class Ingest {
  readonly #store: Store
  readonly #options: IngestOptions
  readonly #visitors: Visitors
  /** Items of the batch that were stored, by type. */
  #stored = new Map<string, number>()

  /** Inside a transaction. */
  constructor(store: Store, options: IngestOptions) {
    this.#store = store
    this.#options = options
    this.#visitors = new Visitors(store)
  }

  /**
   * Inside a transaction. What was stored before is left as it is.
   * @param projects ids of those that take something
   */
  store({ envelopes, key, isTight }: Batch, projects: ReadonlySet<number>): IngestOutcome[] {
    this.#stored.clear()
    const isNew = this.#isNew(key)
    const outcomes = envelopes.map((envelope): IngestOutcome => {
      const project = projectOf(envelope)
      if (project === undefined || !projects.has(project)) return 'refused'
      if (isNew && this.#isNew(envelope.meta.key)) this.#storeOne(envelope, project, isTight)
      return 'stored'
    })
    forgetOldDeliveries(this.#store)
    return outcomes
  }

  /** Of the last batch, by type. */
  get stored(): ReadonlyMap<string, number> {
    return this.#stored
  }

  #isNew(key: string | undefined): boolean {
    return key === undefined || isFirstDelivery(this.#store, key)
  }

  #storeOne({ meta, body }: Envelope, project: number, isTight: boolean): void {
    const { drops } = this.#options
    const context = this.#contextOf(meta, project)
    for (const item of readItems(body, () =>
      drops.add({ project, reason: 'invalid', category: 'default', quantity: 1 })
    ))
      if (isTight && !SMALL.has(item.type)) context.drop('full', categoryOf(item.type), itemCountOf(item))
      else this.#storeItem(item, context)
  }

  #storeItem(item: Item, context: IngestContext): void {
    const category = categoryOf(item.type)
    if (REFUSED_CATEGORIES.includes(category)) return context.drop('unsupported', category, itemCountOf(item))
    const handler = item.type === 'event' ? this.#options.event : findHandler(item.type)
    const store = this.#store
    store.run('SAVEPOINT item')
    try {
      handler(item, context)
      this.#stored.set(item.type, (this.#stored.get(item.type) ?? 0) + 1)
    } catch (error) {
      // Not the item's fault: the batch is taken back.
      if (isStorageError(error)) throw error
      store.run('ROLLBACK TO item')
      this.#options.releases.forget()
      context.drop('invalid', category, itemCountOf(item))
    }
    store.run('RELEASE item')
  }

  #contextOf(meta: Envelope['meta'], project: number): IngestContext {
    const { releases, drops } = this.#options
    const { header, receivedAt, sentAt, clientAddress } = meta
    return {
      store: this.#store,
      project,
      receivedAt,
      ...(sentAt !== undefined && { sentAt }),
      ...(typeof header.event_id === 'string' && { eventId: header.event_id.replaceAll('-', '').toLowerCase() }),
      environmentOf: (value) => {
        const name = toText(value, MAX_ENVIRONMENT)
        return name === undefined ? '' : knownName(this.#store, project, 'environment', name, receivedAt)
      },
      releaseOf(text) {
        const version = toVersion(text ?? '')
        return version === '' ? null : releases.idOf(project, version, receivedAt)
      },
      visitorOf: (user, userAgent, isClient = true) =>
        this.#visitors.idOf(user, isClient ? clientAddress : undefined, userAgent),
      drop: (reason, category, quantity) => drops.add({ project, reason, category, quantity })
    }
  }
}

/** What an item says it holds is only taken for a count. */
function itemCountOf({ header }: Item): number {
  return Math.min(Math.max(toCount(header.item_count), 1), 10_000)
}

/** By its header's `dsn`: whether the key is the right one was asked when it came. Project 0 is the tunnel speaking itself. */
function projectOf({ meta }: Envelope): number | undefined {
  const text = typeof meta.header.dsn === 'string' ? meta.header.dsn : meta.dsn
  const project = parseDsn(text)?.project
  return project === undefined ? undefined : Number(project) || OWN_PROJECT
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

/** The function that stores an item of a type; an unknown type is kept as it came. Events have a handler of their own. */
const findHandler = (type: string): ItemHandler => HANDLERS.get(type) ?? storeRaw

const NEWLINE = 0x0a

/**
 * The items of an envelope, from everything after its header line, by the rules that `ItemScanner` of @hull/monitoring lists.
 * @param onMalformed called where the rest cannot be read; the items before it were given
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

/**
 * Keys that are remembered: of batches, which come again when the thread ended before it answered, and of envelopes of an
 * old spool, which come again when the process ended before the spool deleted them. Some hundred at most can come again. A
 * guess that leaves room for a spool that cannot write.
 */
const REMEMBERED = 10_000

/** Remembers a key, inside the transaction that stores what it is the key of. @returns false if it was stored before */
const isFirstDelivery = (store: Store, key: string): boolean =>
  store.run('INSERT OR IGNORE INTO delivery (key) VALUES (?)', key).changes > 0

/** Forgets those that came long ago: once for all that came together. */
function forgetOldDeliveries(store: Store): void {
  store.run('DELETE FROM delivery WHERE id <= (SELECT max(id) FROM delivery) - ?', REMEMBERED)
}
