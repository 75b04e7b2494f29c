import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { createClock } from '@hull/test-helpers/clock.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider, type TestProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, createSample, holds, put, until } from '@hull/test-helpers/tunnel.ts'
import { startTunnel } from '@hull/test-helpers/tunnel-process.ts'

const MIB = 1024 ** 2
const UNAVAILABLE = { code: 'APP_MONITORING_SPOOL_UNAVAILABLE', statusCode: 503 }

const hasAll = (provider: TestProvider, samples: Array<{ body: Buffer }>) =>
  samples.every(({ body }) => provider.received.some((envelope) => envelope.body.equals(body)))

t.test('accepted envelopes', async (t) => {
  t.test('of any size are delivered unchanged after a restart', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const first = createTunnel(t, { providers: [provider] })
    const samples = []
    for (const size of [0, 1, 2_000, 256 * 1024 - 30, 256 * 1024, 256 * 1024 + 1, 3 * MIB])
      samples.push(await put(first.tunnel, provider.dsn, { size }))
    await first.tunnel.close()
    await t.rejects(put(first.tunnel, provider.dsn), UNAVAILABLE)

    await provider.comeBack()
    const { tunnel } = createTunnel(t, { providers: [provider], file: first.file })
    await provider.has(samples.length)
    await holds(tunnel, 0)
    t.ok(hasAll(provider, samples))
    t.equal(provider.received.length, samples.length)
    t.equal(statSync(first.file).mode & 0o777, 0o600)
  })

  t.test('survive SIGKILL, and incomplete envelopes are deleted', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const file = join(createFolder(t), 'spool.db')
    const child = await startTunnel(t, file, provider.dsn)
    const samples = [createSample(provider.dsn, { size: 2 * MIB }), createSample(provider.dsn)]
    await child.begin(20)
    for (const sample of samples) t.ok(await child.write(sample))
    await child.kill()

    await provider.comeBack()
    const { tunnel } = createTunnel(t, { providers: [provider], file })
    await provider.has(2)
    await holds(tunnel, 0)
    t.same(
      provider.received.map(({ header }) => header.event_id).toSorted(),
      samples.map(({ meta }) => meta.header.event_id).toSorted()
    )
    t.ok(hasAll(provider, samples))
    await tunnel.close()
    const db = new DatabaseSync(file)
    t.same(
      db.prepare('SELECT count(*) AS rows FROM bodies').all(),
      [{ rows: 0 }],
      'no row of the incomplete envelope is left'
    )
    db.close()
  })

  t.test('stay in the spool while their DSN is not configured', async (t) => {
    const [former, provider] = [await openProvider(t), await openProvider(t)]
    await former.goDown()
    const first = createTunnel(t, { providers: [former] })
    await put(first.tunnel, former.dsn)
    await first.tunnel.close()
    await former.comeBack()
    const second = createTunnel(t, { providers: [provider], file: first.file })
    await put(second.tunnel, provider.dsn)
    await provider.has(1)
    await holds(second.tunnel, 1)
    await second.tunnel.close()
    t.equal(former.seen.length, 0)
    createTunnel(t, { providers: [former], file: first.file })
    await former.has(1)
  })

  t.test('do not include aborted envelopes', async (t) => {
    const provider = await openProvider(t)
    const { tunnel } = createTunnel(t, { providers: [provider] })
    for (const size of [10, MIB]) {
      const writer = tunnel.begin()
      await writer.write(new Uint8Array(size))
      writer.abort()
      await t.rejects(writer.commit(createSample(provider.dsn).meta), UNAVAILABLE)
    }
    await put(tunnel, provider.dsn)
    await provider.has(1)
    await holds(tunnel, 0)
    t.equal(tunnel.stats().bytes, 0)
    t.equal(provider.seen.length, 1)
  })
})

t.test('two processes', async (t) => {
  t.test('have a file each, and a later process takes over the envelopes of exited ones', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const first = createTunnel(t, { providers: [provider] })
    const child = await startTunnel(t, first.file, provider.dsn)
    const samples = [createSample(provider.dsn, { size: MIB }), createSample(provider.dsn)]
    for (const sample of samples) t.ok(await child.write(sample))
    samples.push(await put(first.tunnel, provider.dsn))
    t.same(
      readdirSync(join(first.file, '..')).filter((name) => name.endsWith('.db')),
      ['spool.2.db', 'spool.db']
    )
    t.equal(first.tunnel.stats().envelopes, 1)
    await child.kill()
    await first.tunnel.close()

    const { tunnel, lines } = createTunnel(t, { providers: [provider], file: first.file })
    await holds(tunnel, 3)
    await until(() => lines.length > 0)
    t.match(lines, [{ level: 'info', message: /^took over/, details: { envelopes: 2 } }])
    await provider.comeBack()
    await provider.has(3)
    t.ok(hasAll(provider, samples))
  })

  t.test('do not take over envelopes of each other while both run', async (t) => {
    const provider = await openProvider(t)
    const first = createTunnel(t, { providers: [provider] })
    const child = await startTunnel(t, first.file, provider.dsn)
    await Promise.all(
      Array.from({ length: 50 }, () =>
        Promise.all([child.write(createSample(provider.dsn)), put(first.tunnel, provider.dsn)])
      )
    )
    await provider.has(100)
    await holds(first.tunnel, 0)
    t.equal(provider.seen.length, 100)
  })
})

t.test('a spool keeps its counts and ages when it is closed and opened again', async (t) => {
  const provider = await openProvider(t)
  const clock = createClock()
  await provider.goDown()
  const first = createTunnel(t, { providers: [provider], clock })
  for (let i = 0; i < 3; i++) await put(first.tunnel, provider.dsn, { receivedAt: clock.now() })
  const { bytes } = first.tunnel.stats()
  clock.advance(10_000)
  await first.tunnel.close()
  const { tunnel } = createTunnel(t, { providers: [provider], clock, file: first.file })
  await holds(tunnel, 3)
  t.match(tunnel.stats(), { bytes, envelopes: 3, oldestAge: 10_000, available: true })
})

t.test('many lanes without an envelope are removed when the spool is opened', async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const first = createTunnel(t, { providers: [provider] })
  await put(first.tunnel, provider.dsn)
  await first.tunnel.close()
  const add = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO lanes (dsn, lane) SELECT 'dsn', i FROM n`
  const run = (sql: string) => {
    const db = new DatabaseSync(first.file)
    const rows = db.prepare(sql).all()
    db.close()
    return rows
  }
  run(add)
  const { tunnel } = createTunnel(t, { providers: [provider], file: first.file })
  await holds(tunnel, 1)
  await tunnel.close()
  t.same(run('SELECT lane FROM lanes'), [{ lane: 'error' }])
})
