import diagnostics from 'node:diagnostics_channel'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Deliverer } from '../../src/delivery/deliverer.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createSample, createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const MIB = 1024 ** 2
const DSN = 'https://key@provider.example/1'
const UNAVAILABLE = { code: 'APP_MONITORING_SPOOL_UNAVAILABLE', statusCode: 503 }

t.test('problems with the disk', async (t) => {
  t.test('a full disk refuses envelopes, and accepts them again when there is space', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel, lines } = createTunnel(t, { providers: [provider], maxFileBytes: MIB })
    let accepted = 0
    let refusal: unknown
    while (refusal === undefined) {
      await put(tunnel, provider.dsn, { size: 50_000 }).then(
        () => accepted++,
        (error) => (refusal = error)
      )
    }
    t.match(refusal, UNAVAILABLE)
    t.ok(accepted > 5)
    t.equal(tunnel.stats().available, false)
    await t.rejects(put(tunnel, provider.dsn, { size: 900_000 }), UNAVAILABLE)
    await provider.comeBack()
    await provider.has(accepted)
    await until(() => tunnel.stats().available)
    await put(tunnel, provider.dsn, { size: 50_000 })
    await provider.has(accepted + 1)
    await holds(tunnel, 0)
    t.equal(provider.received.length, accepted + 1)
    t.match(lines, [
      { level: 'warn', message: /cannot be stored/, details: { reason: /full/ } },
      { level: 'info', message: /available again/ }
    ])
  })

  t.test('a damaged file is renamed, and a new file is opened', async (t) => {
    const provider = await openProvider(t)
    const folder = createFolder(t, { 'spool.db': 'no database '.repeat(1_000) })
    const { tunnel, lines } = createTunnel(t, { providers: [provider], file: join(folder, 'spool.db') })
    await put(tunnel, provider.dsn)
    await provider.has(1)
    t.match(lines, [{ level: 'warn', message: /damaged/ }])
    const aside = readdirSync(folder).find((name) => name.startsWith('spool.db.corrupt-'))!
    t.match(readFileSync(join(folder, aside), 'utf8'), /^no database/)
  })

  t.test('only the two newest damaged files are kept', async (t) => {
    const provider = await openProvider(t)
    const old = [
      'spool.db.corrupt-2026-01-01T00-00-00-000Z',
      'spool.db.corrupt-2026-01-01T00-00-00-000Z-wal',
      'spool.2.db.corrupt-2026-03-01T00-00-00-000Z',
      'spool.db.corrupt-2026-02-01T00-00-00-000Z'
    ]
    const newest = 'spool.db.corrupt-2026-04-01T00-00-00-000Z'
    // Other files, and files with names that a user chose.
    const others = ['inbox.db.corrupt-2026-01-01T00-00-00-000Z', 'spool.db.corrupt-keep', 'spool.old.db', 'notes.txt']
    const names = [...old, newest, `${newest}-wal`, ...others, 'spool.db']
    const folder = createFolder(t, Object.fromEntries(names.map((name) => [name, 'no database '.repeat(100)])))
    const { tunnel } = createTunnel(t, { providers: [provider], file: join(folder, 'spool.db') })
    await put(tunnel, provider.dsn)
    await tunnel.close()
    const left = readdirSync(folder).filter((name) => !others.includes(name))
    t.match(left.sort(), ['spool.db', newest, `${newest}-wal`, /^spool\.db\.corrupt-(?!2026-0[1-4]-01)/])
    t.equal(left.length, 4)
    t.ok(others.every((name) => readdirSync(folder).includes(name)))
  })

  t.test('a file with damaged pages is renamed when they are read', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const first = createTunnel(t, { providers: [provider] })
    for (let i = 0; i < 40; i++) await put(first.tunnel, provider.dsn, { size: 8_000 })
    await first.tunnel.close()
    const bytes = readFileSync(first.file)
    bytes.fill(0xee, 8 * 8_192, bytes.length)
    writeFileSync(first.file, bytes)

    const { tunnel, lines } = createTunnel(t, { providers: [provider], file: first.file })
    await provider.comeBack()
    await until(() => lines.some(({ message }) => message.includes('damaged')))
    for (let kept = false; !kept;) {
      kept = await put(tunnel, provider.dsn).then(
        () => true,
        () => false
      )
    }
    t.ok(readdirSync(join(first.file, '..')).some((name) => name.includes('.corrupt-')))
  })

  t.test('envelopes are refused until the folder of the spool can be created', async (t) => {
    const provider = await openProvider(t)
    const folder = createFolder(t, { data: 'a file' })
    const { tunnel, lines } = createTunnel(t, { providers: [provider], file: join(folder, 'data', 'spool.db') })
    await t.rejects(put(tunnel, provider.dsn), UNAVAILABLE)
    await t.rejects(put(tunnel, provider.dsn, { size: MIB }), UNAVAILABLE)
    t.equal(tunnel.stats().available, false)
    rmSync(join(folder, 'data'))
    await until(() => tunnel.stats().available)
    await put(tunnel, provider.dsn)
    await provider.has(1)
    t.equal(lines.filter(({ level }) => level === 'warn').length, 1)
  })

  t.test('envelopes are refused if all names of spool files are in use', async (t) => {
    const provider = await openProvider(t)
    const first = createTunnel(t, { providers: [provider] })
    await put(first.tunnel, provider.dsn)
    const folder = join(first.file, '..')
    for (let i = 2; i <= 16; i++) mkdirSync(join(folder, `spool.${i}.db`))
    const second = createTunnel(t, { providers: [provider], file: first.file })
    await t.rejects(put(second.tunnel, provider.dsn), UNAVAILABLE)
  })
})

/** Collects the worker threads that start from now on. */
function watchWorkers(t: Test): Worker[] {
  const workers: Worker[] = []
  const onWorker = (message: unknown) => void workers.push((message as { worker: Worker }).worker)
  diagnostics.subscribe('worker_threads', onWorker)
  t.teardown(() => diagnostics.unsubscribe('worker_threads', onWorker))
  return workers
}

t.test('an attempt whose body cannot be read from the spool does not count as a failure of the provider', async (t) => {
  const workers = watchWorkers(t)
  let attempts = 0
  const deliverer: Deliverer = {
    async deliver({ body }) {
      if (++attempts === 1) await workers[0]!.terminate()
      await buffer(body())
      return undefined
    }
  }
  const { tunnel } = createTunnel(t, { providers: [{ dsn: DSN, deliverer }] })
  await put(tunnel, DSN, { size: 5 * MIB })
  await holds(tunnel, 0)
  t.equal(attempts, 2)
  t.match(tunnel.stats().providers, [{ breaker: 'closed', attempts: { delivered: 1, failed: 0 } }])
})

t.test('a thread that exits is started again, and the stored envelopes are delivered', async (t) => {
  const workers = watchWorkers(t)
  const provider = await openProvider(t)
  await provider.goDown()
  const { tunnel, lines } = createTunnel(t, { providers: [provider] })
  const samples = [await put(tunnel, provider.dsn)]
  const half = tunnel.begin()
  await half.write(new Uint8Array(MIB))
  t.equal(workers.length, 1)
  const pending = put(tunnel, provider.dsn, { size: 100_000 }).then(
    (sample) => void samples.push(sample),
    (error) => t.match(error, UNAVAILABLE)
  )
  await workers[0]!.terminate()
  await pending
  await t.rejects(put(tunnel, provider.dsn), UNAVAILABLE)
  await until(() => tunnel.stats().available)
  await t.rejects(half.commit(createSample(provider.dsn).meta), UNAVAILABLE)
  samples.push(await put(tunnel, provider.dsn))
  await provider.comeBack()
  await holds(tunnel, 0)
  t.ok(samples.every(({ body }) => provider.received.some((envelope) => envelope.body.equals(body))))
  t.equal(tunnel.stats().bytes, 0)
  t.match(lines, [{ message: /cannot be stored/ }, { message: /available again/ }])
})
