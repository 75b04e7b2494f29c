import type { DatabaseSync } from 'node:sqlite'
import { fromLane, rankOf } from '../envelope/categories.ts'
import { toDiscarded, toLost, type Discarded, type DropReason } from './drops.ts'
import {
  parseMeta,
  type PutOperation,
  type RowOperation,
  type SpoolOperation,
  type SpoolState,
  type WorkerSettings
} from './spool-messages.ts'
import type { Blocked } from '../delivery/rate-limits.ts'
import { openTables, readLanes, rowKey, type EnvelopeRow, type LaneRow, type Tables } from './spool-tables.ts'

/** Bytes that an envelope costs in addition to body and metadata: keys, index, page headers. Measured roughly. */
const OVERHEAD = 128

/** Maximum envelopes that one operation expires, so that other operations do not wait long. */
const EXPIRE_CHUNK = 500

export interface Lane extends LaneRow {
  categories: string[]
  rank: number
  count: number
  cost: number
}

export interface Applied {
  /** Tickets of envelopes with an incomplete body. */
  refused: number[]
  discarded: Discarded[]
  /** Number of dropped envelopes whose metadata or lane number is damaged. */
  damaged: number
}

/** Envelopes in the spool's file and the operations on them. Synchronous, because it runs in a worker. */
export class SpoolStore {
  readonly tables: Tables
  readonly lanes = new Map<number, Lane>()
  /** Number of envelopes that were dropped when the file was opened, because their lane number is damaged. */
  readonly damaged: number
  readonly #db: DatabaseSync
  readonly #maxBytes: number
  /**
   * Added to the ids of writers, which are based on the time, so that they follow the ids of an earlier process even if
   * those are ahead of the time.
   */
  readonly #offset: number
  #lowest: number
  /** Bytes of incomplete bodies, by id. */
  #openings = new Map<number, number>()
  #applied: Applied = { refused: [], discarded: [], damaged: 0 }
  #moreExpired = false
  /** When the newest envelope of earlier processes was received. */
  readonly #newestLeft: number | undefined
  /** DSNs that have drops; undefined if it must be read again. */
  #unreported: string[] | undefined

  /**
   * @param settings `maxBytes`: above it, the oldest envelopes of the lowest rank are dropped
   * @param idsBelow ids of copied envelopes are below it
   */
  constructor(
    db: DatabaseSync,
    { maxBytes, firstId }: Pick<WorkerSettings, 'maxBytes' | 'firstId'>,
    idsBelow = firstId
  ) {
    this.#db = db
    this.#maxBytes = maxBytes
    this.tables = openTables(db)
    this.damaged = this.#dropWithoutLane()
    this.#loadLanes()
    const ids = this.tables.ids.get() as { lowest: number | null; highest: number | null }
    this.#lowest = Math.min(ids.lowest ?? firstId, idsBelow)
    this.#offset = Math.max(0, (ids.highest ?? 0) + 1 - firstId)
    this.#newestLeft = (this.tables.newest.get() as { received: number } | undefined)?.received
  }

  /** Lowest id that was used so far. */
  get lowest(): number {
    return this.#lowest
  }

  get bytes(): number {
    let bytes = 0
    for (const { cost } of this.lanes.values()) bytes += cost
    for (const size of this.#openings.values()) bytes += size
    return bytes
  }

  /** Applies all operations, or none if it throws. They are on disk when it returns. */
  apply(operations: readonly SpoolOperation[]): Applied {
    this.#applied = { refused: [], discarded: [], damaged: 0 }
    this.transact(() => {
      for (const operation of operations) this.#run(operation)
      this.#trim()
    })
    return this.#applied
  }

  /**
   * Runs `work` in a transaction.
   * @throws the error of `work` or of the commit, after a rollback
   */
  transact(work: () => void): void {
    const openings = new Map(this.#openings)
    const totals = [...this.lanes].map(([id, { count, cost }]) => [id, { count, cost }] as const)
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#db.exec('COMMIT')
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      this.#openings = openings
      const known = new Map(totals)
      for (const [id, lane] of this.lanes) {
        const before = known.get(id)
        if (before) Object.assign(lane, before)
        else this.lanes.delete(id)
      }
      throw error
    }
  }

  state(): SpoolState {
    const waiting: Record<string, number> = {}
    let envelopes = 0
    for (const { dsn, count } of this.lanes.values()) {
      waiting[dsn] = (waiting[dsn] ?? 0) + count
      envelopes += count
    }
    const oldest = envelopes === 0 ? undefined : (this.tables.oldest.get() as { received: number } | undefined)
    return {
      bytes: this.bytes,
      envelopes,
      ...(oldest && { oldest: oldest.received }),
      ...(this.#newestLeft !== undefined && { newestLeft: this.#newestLeft }),
      waiting,
      unreported: (this.#unreported ??= this.#findUnreported()),
      moreExpired: this.#moreExpired
    }
  }

  /** Adds an envelope from another file, with an id below all others. */
  adoptEnvelope(envelope: EnvelopeRow, { dsn, lane }: LaneRow, body: readonly Uint8Array[]): void {
    const id = --this.#lowest
    for (const [seq, bytes] of body.entries()) this.tables.addRow.run(rowKey(id, seq), bytes)
    const { rows, size, meta, received: receivedAt } = envelope
    this.#addEnvelope(id, { dsn, lane, rows, size, meta, receivedAt })
  }

  /** Adds an envelope whose rows are already stored. */
  #addEnvelope(id: number, put: Omit<PutOperation, 'op' | 'ticket' | 'id' | 'bytes'>): void {
    const lane = this.#laneOf(put.dsn, put.lane)
    const cost = put.size + put.meta.length + OVERHEAD
    this.tables.addEnvelope.run(id, lane.id, put.receivedAt, put.rows, put.size, cost, put.meta)
    lane.count++
    lane.cost += cost
  }

  addDrops(dsn: string, discarded: readonly Discarded[]): void {
    this.#unreported = undefined
    for (const { reason, category, quantity } of discarded) this.tables.addDrop.run(dsn, reason, category, quantity)
  }

  #run(operation: SpoolOperation): void {
    switch (operation.op) {
      case 'row':
        return this.#addRow(operation)
      case 'put':
        return this.#put(operation)
      case 'abort':
        return this.#forget(operation.id + this.#offset)
      case 'delivered':
        return this.#remove(operation.id)
      case 'drop':
        return this.#remove(operation.id, operation.reason)
      case 'set-aside':
        this.tables.postpone.run(operation.due, operation.id)
        return
      case 'release':
        for (const { id, dsn } of this.lanes.values()) if (dsn === operation.dsn) this.tables.release.run(id)
        return
      case 'expire':
        return this.#expire(operation.before, operation.reasons)
      case 'count-drops':
        return this.#discard(operation.dsn, operation.discarded)
      case 'reported':
        for (const { reason, category, quantity } of operation.discarded)
          this.tables.subtractDrop.run(quantity, operation.dsn, reason, category)
        this.tables.clearDrops.run()
        this.#unreported = undefined
    }
  }

  #addRow({ id: given, seq, bytes }: RowOperation): void {
    const id = given + this.#offset
    if (seq === 0) this.tables.addOpening.run(id)
    this.tables.addRow.run(rowKey(id, seq), bytes)
    this.#openings.set(id, (this.#openings.get(id) ?? 0) + bytes.byteLength)
  }

  #put(put: PutOperation): void {
    const id = put.id + this.#offset
    if (put.bytes !== undefined) {
      this.tables.addRow.run(rowKey(id, 0), put.bytes)
    } else if (put.rows > 0) {
      // A row may be missing because it arrived while nothing could be written, or before this thread started.
      const { count, size } = this.tables.measureRows.get(id) as { count: number; size: number }
      const whole = count === put.rows && size === put.size
      this.#openings.delete(id)
      this.tables.removeOpening.run(id)
      if (!whole) {
        this.tables.removeRows.run(id)
        this.#applied.refused.push(put.ticket)
        return
      }
    }
    this.#addEnvelope(id, put)
    // Larger than the whole spool: it must not displace all others first.
    if (put.size > this.#maxBytes) this.#remove(id, 'queue_overflow')
  }

  #forget(id: number): void {
    if (!this.#openings.delete(id)) return
    this.tables.removeRows.run(id)
    this.tables.removeOpening.run(id)
  }

  /**
   * @param reason to count the drop under, unless the envelope is damaged; undefined if it was delivered
   */
  #remove(id: number, reason?: DropReason): void {
    const envelope = this.tables.find.get(id) as EnvelopeRow | undefined
    if (envelope) this.#removeRow(envelope, reason)
  }

  #removeRow({ id, lane: laneId, cost, rows, meta }: EnvelopeRow, reason?: DropReason): void {
    const lane = this.lanes.get(laneId)
    this.tables.removeEnvelope.run(id)
    if (rows > 0) this.tables.removeRows.run(id)
    if (lane) {
      lane.count--
      lane.cost -= cost
    }
    if (reason === undefined) return
    const known = parseMeta(meta)
    if (lane === undefined || known === undefined) this.#applied.damaged++
    // Without its lane, the provider of an envelope is unknown.
    if (lane) this.#discard(lane.dsn, known ? toDiscarded(known.counts, reason) : toLost(lane.lane))
  }

  #discard(dsn: string, discarded: readonly Discarded[]): void {
    this.addDrops(dsn, discarded)
    this.#applied.discarded.push(...discarded)
  }

  /** Reads all envelopes, because those of an ended process have smaller ids than older ones. */
  #expire(before: number, reasons: Record<string, { blocked: Blocked; otherwise: DropReason }>): void {
    this.#moreExpired = false
    const expired = this.tables.expired.all(before, EXPIRE_CHUNK) as unknown as EnvelopeRow[]
    for (const envelope of expired) {
      const { dsn = '', categories = [] } = this.lanes.get(envelope.lane) ?? {}
      const { blocked, otherwise } = reasons[dsn] ?? { blocked: [], otherwise: 'expired' }
      const limited = blocked === 'all' || categories.some((category) => blocked.includes(category))
      this.#removeRow(envelope, limited ? 'ratelimit_backoff' : otherwise)
    }
    this.#moreExpired = expired.length === EXPIRE_CHUNK
  }

  /** Drops envelopes to free space: lowest rank first, then oldest first. */
  #trim(): void {
    for (let over = this.bytes - this.#maxBytes; over > 0;) {
      const filled = [...this.lanes.values()].filter(({ count }) => count > 0)
      const lowest = Math.min(...filled.map(({ rank }) => rank))
      const ids = filled.filter(({ rank }) => rank === lowest).map(({ id }) => this.#oldestOf(id))
      const victim = this.tables.find.get(Math.min(...ids)) as EnvelopeRow | undefined
      // Only incomplete bodies are left.
      if (victim === undefined) return
      this.#removeRow(victim, 'queue_overflow')
      over -= victim.cost
    }
  }

  /** Lowest id in a lane. Searches all envelopes that were set aside, which are few. */
  #oldestOf(lane: number): number {
    const fresh = this.tables.oldestFresh.get(lane) as { id: number | null }
    const setAside = this.tables.oldestSetAside.get(lane) as { id: number | null }
    return Math.min(fresh.id ?? Infinity, setAside.id ?? Infinity)
  }

  #findUnreported(): string[] {
    return (this.tables.unreported.all() as { dsn: string }[]).map(({ dsn }) => dsn)
  }

  #laneOf(dsn: string, name: string): Lane {
    for (const lane of this.lanes.values()) if (lane.lane === name && lane.dsn === dsn) return lane
    const { id } = this.tables.addLane.get(dsn, name) as { id: number }
    return this.#addLane({ id, dsn, lane: name })
  }

  #addLane(row: LaneRow): Lane {
    const categories = fromLane(row.lane)
    const lane = { ...row, categories, rank: rankOf(categories), count: 0, cost: 0 }
    this.lanes.set(row.id, lane)
    return lane
  }

  /** Their provider is unknown, and a new lane could get their number. @returns number of dropped envelopes */
  #dropWithoutLane(): number {
    const found = this.tables.withoutLane.all() as { id: number }[]
    if (found.length === 0) return 0
    this.transact(() => {
      for (const { id } of found) {
        this.tables.removeEnvelope.run(id)
        this.tables.removeRows.run(id)
      }
    })
    return found.length
  }

  #loadLanes(): void {
    for (const row of readLanes(this.#db).values()) this.#addLane(row)
    for (const { lane, count, cost } of this.tables.totals.all() as { lane: number; count: number; cost: number }[])
      Object.assign(this.lanes.get(lane)!, { count, cost })
  }
}
