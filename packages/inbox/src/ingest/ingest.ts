import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { categoryOf, parseDsn } from '@hull/monitoring/envelope'
import { isStorageError } from '../store/file.ts'
import type { IncomingEnvelope, IngestOutcome } from '../store/messages.ts'
import { OWN_PROJECT } from '../store/projects.ts'
import { REFUSED_CATEGORIES } from './refused-categories.ts'
import { toVersion, type Releases } from '../store/releases.ts'
import { readSetting, writeSetting } from '../store/stored-settings.ts'
import type { Store } from '../store/store.ts'
import type { IngestContext, Item, ItemHandler } from './context.ts'
import { forgetOldDeliveries, isFirstDelivery } from './deliveries.ts'
import type { Drops } from './drops.ts'
import { readItems } from './envelope.ts'
import { findHandler } from './handlers.ts'
import type { VisitorHint } from './normalise/event.ts'

/** Types that are stored although there is no room for others: they are small, and tell what happened. */
const SMALL = new Set(['event', 'session', 'sessions', 'client_report'])

/** Visitors whose hashes are kept. A guess: an hour's of a busy site. */
const MAX_VISITORS = 5_000

export interface IngestOptions {
  releases: Releases
  drops: Drops
  /** Stores events. */
  event: ItemHandler
}

/** Envelopes of one commit. */
export interface Batch {
  envelopes: readonly IncomingEnvelope[]
  /** Identifies the batch: one with a key that was committed before is not stored again. @default it is stored */
  key: string | undefined
  /** There is no room: only what is small is stored. */
  isTight: boolean
}

/** Takes envelopes apart, and gives each item to what stores it. */
export class Ingest {
  readonly #store: Store
  readonly #options: IngestOptions
  readonly #key: KeyObject
  /** Hashes of the last visitors; in memory alone. */
  readonly #visitors = new LRUCache<string, string>({ max: MAX_VISITORS })
  /** Items of the batch that were stored, by type. */
  #stored = new Map<string, number>()

  /** Inside a transaction. */
  constructor(store: Store, options: IngestOptions) {
    this.#store = store
    this.#options = options
    this.#key = openVisitorKey(store)
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

  #storeOne({ meta, body }: IncomingEnvelope, project: number, isTight: boolean): void {
    const { drops } = this.#options
    const context = this.#contextOf(meta, project)
    for (const item of readItems(body, () =>
      drops.add({ project, reason: 'invalid', category: 'default', quantity: 1 })
    ))
      if (isTight && !SMALL.has(item.type)) context.drop('full', categoryOf(item.type), countOf(item))
      else this.#storeItem(item, context)
  }

  #storeItem(item: Item, context: IngestContext): void {
    const category = categoryOf(item.type)
    if (REFUSED_CATEGORIES.includes(category)) return context.drop('unsupported', category, countOf(item))
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
      context.drop('invalid', category, countOf(item))
    }
    store.run('RELEASE item')
  }

  #contextOf(meta: IncomingEnvelope['meta'], project: number): IngestContext {
    const { releases, drops } = this.#options
    const { header, receivedAt, sentAt, clientAddress } = meta
    return {
      store: this.#store,
      project,
      receivedAt,
      ...(sentAt !== undefined && { sentAt }),
      ...(typeof header.event_id === 'string' && { eventId: header.event_id.replaceAll('-', '').toLowerCase() }),
      ...(clientAddress !== undefined && { address: clientAddress }),
      releaseOf(text) {
        const version = toVersion(text ?? '')
        return version === '' ? null : releases.idOf(project, version, receivedAt)
      },
      visitorOf: (user, userAgent, isClient = true) =>
        this.#visitorOf(user, isClient ? clientAddress : undefined, userAgent),
      drop: (reason, category, quantity) => drops.add({ project, reason, category, quantity })
    }
  }

  /** An address and a user's name only ever go into a hash that nobody else can make. */
  #visitorOf(user: VisitorHint | undefined, address: string | undefined, userAgent: string | undefined) {
    if (user?.id !== undefined) return user.id
    const from = user?.address ?? address
    const known = user?.name !== undefined ? `name ${user.name}` : from && `address ${from} ${userAgent ?? ''}`
    return known && this.#hashOf(known)
  }

  /** Those who have errors have several, one after the other. */
  #hashOf(name: string): string {
    const known = this.#visitors.get(name)
    if (known !== undefined) return known
    const hash = createHmac('sha256', this.#key).update(name).digest('hex').slice(0, 32)
    this.#visitors.set(name, hash)
    return hash
  }
}

/** What an item says it holds is only taken for a count. */
function countOf({ header }: Item): number {
  const count = header.item_count
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? Math.min(count, 10_000) : 1
}

/** By its header's `dsn`: whether the key is the right one was asked when it came. Project 0 is the tunnel speaking itself. */
function projectOf({ meta }: IncomingEnvelope): number | undefined {
  const text = typeof meta.header.dsn === 'string' ? meta.header.dsn : meta.dsn
  const project = parseDsn(text)?.project
  return project === undefined ? undefined : Number(project) || OWN_PROJECT
}

function openVisitorKey(store: Store): KeyObject {
  const known = readSetting(store, 'visitor_key')
  if (known !== undefined) return createSecretKey(known, 'hex')
  const key = randomBytes(32)
  writeSetting(store, 'visitor_key', key.toString('hex'))
  return createSecretKey(key)
}
