import t from 'tap'
import type { Envelope } from '@hull/monitoring'
import { createEnvelope, openWriter } from '../helpers/writer.ts'
import { readSetting } from '../../src/store/stored-settings.ts'

const at = new Date().toISOString()

/** Creates an envelope whose items have no ids. */
const envelope = (key?: string): Envelope => {
  const { meta, body } = createEnvelope([
    ['log', { items: [{ body: 'paid', level: 'info' }] }],
    ['sessions', { aggregates: [{ started: at, exited: 5 }], attrs: { release: '1' } }],
    ['client_report', { discarded_events: [{ reason: 'sample_rate', category: 'transaction', quantity: 3 }] }],
    ['unheard_of', { a: 1 }],
    ['session', { no: 'id' }]
  ])
  return { meta: { ...meta, ...(key !== undefined && { key }) }, body }
}

function countAll({ store, count }: ReturnType<typeof openWriter>) {
  const sum = (sql: string) => store.get<{ sum: number }>(sql)!.sum
  return {
    logs: count('log'),
    raw: count('raw_item'),
    sessions: sum(`SELECT sum(quantity) AS sum FROM figure_hour WHERE name = 'sessions'`),
    reported: sum(`SELECT sum(quantity) AS sum FROM drop_hour WHERE origin = 'client'`),
    invalid: sum(`SELECT sum(quantity) AS sum FROM drop_hour WHERE origin = 'inbox'`)
  }
}

const ONCE = { logs: 1, raw: 1, sessions: 5, reported: 3, invalid: 1 }
const TWICE = { logs: 2, raw: 2, sessions: 10, reported: 6, invalid: 2 }

t.test('an envelope that is delivered again', async (t) => {
  t.test('changes nothing, even after a restart, and is reported as stored', async (t) => {
    const first = openWriter(t)
    t.same(first.writer.ingest([envelope('a-1')]), ['stored'])
    t.same(countAll(first), ONCE)
    const second = openWriter(t, { file: first.file })
    t.same(second.writer.ingest([envelope('a-1'), envelope('a-1')]), ['stored', 'stored'])
    t.same(countAll(second), ONCE)
  })

  t.test('is recognised by the key of its batch, if it was part of one', async (t) => {
    const opened = openWriter(t)
    opened.writer.ingest([envelope()], 'b')
    t.same(opened.writer.ingest([envelope('b/0'), envelope('b/1')]), ['stored', 'stored'])
    t.same(countAll(opened), ONCE)
    opened.writer.ingest([envelope('c/0'), envelope('c/1'), envelope('c/0')])
    t.same(countAll(opened), { logs: 3, raw: 3, sessions: 15, reported: 9, invalid: 3 })
  })

  t.test('is stored if its first delivery was rolled back', async (t) => {
    const opened = openWriter(t)
    const deadly = createEnvelope([['log', { items: [{ body: 'x' }] }]])
    Object.defineProperty(deadly, 'body', {
      get() {
        throw new Error('cannot be read')
      }
    })
    t.throws(() => opened.writer.ingest([envelope('a-1'), deadly]), /cannot be read/)
    opened.writer.ingest([envelope('a-1')])
    t.same(countAll(opened), ONCE)
  })

  t.test('is not recognised by its content, but by its key', async (t) => {
    const opened = openWriter(t)
    opened.writer.ingest([envelope('a-1'), envelope('a-2')])
    t.same(countAll(opened), TWICE)
  })
})

t.test('the number of stored delivery keys is limited', async (t) => {
  const { writer, count } = openWriter(t)
  const small = (key: string) => {
    const { meta } = createEnvelope([])
    return { meta: { ...meta, key }, body: new Uint8Array() }
  }
  writer.ingest(Array.from({ length: 100_500 }, (_, index) => small(`b-${index}`)))
  t.equal(count('delivery'), 100_000)
})

t.test('the time of the newest envelope is stored for both sides, even in the same second', async (t) => {
  const now = Date.UTC(2026, 10, 21, 12)
  const { writer, store } = openWriter(t, { now: () => now })
  for (const sdk of ['sentry.javascript.browser', 'sentry.javascript.node'])
    writer.ingest([createEnvelope([['event', { message: 'hello' }]], { sdk, receivedAt: now })])
  t.same(readSetting(store, 'last_received'), { browser: now, server: now })
})

t.test('the time of the newest envelope is stored if its batch is sent again after a commit that failed', async (t) => {
  const now = Date.UTC(2026, 10, 21, 12)
  const { writer, store } = openWriter(t, { now: () => now })
  const batch = [createEnvelope([['event', { message: 'hello' }]], { sdk: 'sentry.javascript.node', receivedAt: now })]
  const transaction = store.transaction.bind(store)
  store.transaction = (run, options) =>
    transaction(() => {
      run()
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
    }, options)
  t.throws(() => writer.ingest(batch, 'a'), /disk I\/O error/)
  store.transaction = transaction
  writer.ingest(batch, 'a')
  t.same(readSetting(store, 'last_received'), { server: now })
})
