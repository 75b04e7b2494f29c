import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { SpoolStore } from '../../src/spool/spool-store.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put } from '@hull/test-helpers/tunnel.ts'

const ENVELOPES = 100

/** Changes of single bytes of metadata, which SQLite does not detect, because its pages have no checksums. */
const FLIPS = { 'that is not JSON': ['{"', '{#'], 'without counts': ['"counts"', '"cnunts"'] } as const

/** Creates a spool whose oldest envelope has damaged metadata, and a provider that is down. */
async function openDamaged(t: Test, [from, to]: readonly [string, string], receivedAt = Date.now()) {
  const provider = await openProvider(t)
  await provider.goDown()
  const first = createTunnel(t, { providers: [provider], maxAge: Infinity })
  await put(first.tunnel, provider.dsn, { receivedAt, counts: { error: 1, attachment: 2 } })
  for (let i = 1; i < ENVELOPES; i++) await put(first.tunnel, provider.dsn, { receivedAt })
  await first.tunnel.close()
  const flip = 'UPDATE envelopes SET meta = replace(meta, ?, ?) WHERE id = (SELECT min(id) FROM envelopes)'
  change(first.file, flip, from, to)
  return { provider, file: first.file }
}

function change(file: string, sql: string, ...values: string[]) {
  const db = new DatabaseSync(file)
  db.prepare(sql).run(...values)
  db.close()
}

const DROPS = ['attachment', 'error'].map((category) => ({ reason: 'internal_sdk_error', category, quantity: 1 }))
const LINE = { level: 'warn', message: /metadata .* damaged/, details: { envelopes: 1 } }

for (const [what, flip] of Object.entries(FLIPS))
  t.test(`an envelope with metadata ${what}`, async (t) => {
    t.test('is dropped when it would be delivered, and the others are delivered', async (t) => {
      const { provider, file } = await openDamaged(t, flip)
      await provider.comeBack()
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
      await provider.has(ENVELOPES - 1)
      await holds(tunnel, 0)
      t.same(tunnel.stats().drops, DROPS)
      t.match(lines, [LINE])
      t.equal(lines.length, 1)
    })

    t.test('is dropped when it expires, together with the others', async (t) => {
      const { provider, file } = await openDamaged(t, flip, 1)
      change(file, 'UPDATE envelopes SET received = ? WHERE id = (SELECT max(id) FROM envelopes)', `${Date.now()}`)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
      await holds(tunnel, 1)
      const expired = { reason: 'expired', category: 'error', quantity: ENVELOPES - 2 }
      t.same(tunnel.stats().drops, [...DROPS, expired])
      t.match(lines, [LINE])
      t.equal(tunnel.stats().available, true)
    })

    t.test('is dropped when the spool is full', async (t) => {
      const { provider, file } = await openDamaged(t, flip)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file, maxBytes: 10_000 })
      await put(tunnel, provider.dsn)
      t.match(tunnel.stats().drops, [...DROPS, { reason: 'queue_overflow', category: 'error' }])
      t.match(lines, [LINE])
    })
  })

t.test('an envelope with a damaged lane number is dropped, and the others are delivered', async (t) => {
  const { provider, file } = await openDamaged(t, ['', ''])
  change(file, 'UPDATE envelopes SET lane = lane + 64 WHERE id = (SELECT min(id) FROM envelopes)')
  await provider.comeBack()
  const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
  await put(tunnel, provider.dsn)
  await provider.has(ENVELOPES)
  await holds(tunnel, 0)
  t.match(lines, [LINE])
  t.equal(lines.length, 1)
  await tunnel.close()
  const left = new DatabaseSync(file, { readOnly: true })
  t.match(left.prepare('SELECT count(*) AS rows FROM bodies').get(), { rows: 0 })
  left.close()
})

t.test('an envelope whose lane number is damaged while the spool is open is dropped when it expires', (t) => {
  const db = new DatabaseSync(':memory:')
  const store = new SpoolStore(db, { maxBytes: 1024 ** 2, firstId: 1 })
  const envelope = { op: 'put', dsn: 'd', lane: 'error', receivedAt: 1, rows: 0, size: 0, meta: '{}' } as const
  store.apply([1, 2].map((id) => ({ ...envelope, id, ticket: id })))
  db.exec('UPDATE envelopes SET lane = 64 WHERE id = 1')
  t.match(store.apply([{ op: 'expire', before: 2, reasons: {} }]), { damaged: 2 })
  t.match(db.prepare('SELECT count(*) AS envelopes FROM envelopes').get(), { envelopes: 0 })
  db.close()
  t.end()
})
