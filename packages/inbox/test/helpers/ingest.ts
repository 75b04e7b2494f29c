import type { Test } from 'tap'
import { ATTACHMENT_LIMITS, type AttachmentLimits } from '../../src/ingest/items/attachment.ts'
import { BatchAccumulator } from '../../src/ingest/batch-accumulator.ts'
import { Drops } from '../../src/ingest/drops.ts'
import { Ingest } from '../../src/ingest/ingest.ts'
import { Releases } from '../../src/store/projects.ts'
import type { Row } from '../../src/store/store.ts'
import { fixtures } from '@hull/test-helpers/envelopes.ts'
import { createStore } from './store.ts'

/** Time at which the envelopes of packages/monitoring/test/fixtures/envelopes were sent, plus one minute. */
export const RECEIVED = Date.parse('2026-11-21T01:06:20.000Z')

export type ItemLine = readonly [header: Record<string, unknown>, payload: unknown]

/** Creates a store, and functions that ingest envelopes as the worker of the inbox does, without events. */
export function createIngest(
  t: Test,
  {
    receivedAt: now = () => RECEIVED,
    attachments = ATTACHMENT_LIMITS
  }: { receivedAt?: () => number; attachments?: AttachmentLimits } = {}
) {
  const store = createStore(t)
  store.run("INSERT INTO project (id, name, key, created) VALUES (1, 'Shop', 'key', 0)")
  const drops = new Drops()
  const batch = new BatchAccumulator(store)
  const ingest = new Ingest(store, {
    releases: new Releases(store),
    drops,
    batch,
    attachments,
    event: { read() {}, write: () => [] },
    now
  })

  function take(body: Uint8Array, header: Record<string, unknown>, sentAt?: number, receivedAt = now()) {
    const meta = { dsn: 'https://key@inbox.invalid/1', header, receivedAt, sentAt, counts: {} }
    const given = { envelopes: [{ meta, body }], key: undefined, isStoreFull: false }
    try {
      store.transaction(() => ingest.store(given, new Set([1])))
    } catch {
      drops.revert()
      batch.clear()
      store.transaction(() => ingest.store({ ...given, isItemByItem: true }, new Set([1])))
    }
    drops.settle()
  }

  return {
    store,
    all: (sql: string, ...values: (string | number)[]): Row[] =>
      store.all(sql, ...values).map((row) => ({ ...(row as Row) })),
    /** Dropped items, as `reason category quantity`. */
    drops: () => drops.total.map(({ reason, category, quantity }) => `${reason} ${category} ${quantity}`),
    /** Ingests an envelope of packages/monitoring/test/fixtures/envelopes. */
    takeFixture(name: string) {
      const { header, rest } = fixtures.find((fixture) => fixture.name.endsWith(name))!
      take(rest, { ...header, dsn: 'https://key@inbox.invalid/1' })
    },
    /** Ingests an envelope with these items. A payload that is not bytes is written as JSON. */
    takeItems(
      items: readonly ItemLine[],
      { eventId, sentAt, receivedAt }: { eventId?: string; sentAt?: number; receivedAt?: number } = {}
    ) {
      const pieces = items.flatMap(([header, payload]) => {
        const bytes = payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))
        return [Buffer.from(`${JSON.stringify({ ...header, length: bytes.length })}\n`), bytes, Buffer.from('\n')]
      })
      const header = { dsn: 'https://key@inbox.invalid/1', ...(eventId && { event_id: eventId }) }
      take(Buffer.concat(pieces), header, sentAt, receivedAt)
    }
  }
}
