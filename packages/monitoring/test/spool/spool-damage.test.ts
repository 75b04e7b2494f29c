import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Deliverer } from '../../src/delivery/deliverer.ts'
import { inodesOf } from '../../../common/src/sqlite-file.ts'
import { findDamage } from '../../src/spool/spool-damage.ts'
import { openSpoolFile } from '../../src/spool/spool-file.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { accept, openProvider, reply } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const ENVELOPES = 300
const PAGE = 8192

/** Creates a spool with envelopes in its file, and a provider that is down. */
async function openFilled(t: Test) {
  const provider = await openProvider(t)
  await provider.goDown()
  const file = join(createFolder(t), 'spool.db')
  const first = createTunnel(t, { providers: [provider], file })
  for (let i = 0; i < ENVELOPES; i++) await put(first.tunnel, provider.dsn, { size: 2_000 })
  await first.tunnel.close()
  return { provider, file }
}

function overwrite(file: string, ...pages: number[]) {
  const handle = openSync(file, 'r+')
  for (const page of pages) writeSync(handle, Buffer.alloc(PAGE, 'x'), 0, PAGE, page * PAGE)
  closeSync(handle)
}

const asides = (file: string) => readdirSync(dirname(file)).filter((name) => /\.corrupt-.*Z$/.test(name))

t.test('a running server detects a damaged spool, and continues with the envelopes that it can read', async (t) => {
  const damages: Record<string, (file: string) => void> = {
    'pages in its middle': (file) => overwrite(file, 40, 41, 42),
    'its first page': (file) => overwrite(file, 0),
    'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / PAGE / 2) * PAGE),
    'truncated to zero bytes': (file) => truncateSync(file, 0)
  }
  for (const [what, damage] of Object.entries(damages))
    await t.test(what, async (t) => {
      const { provider, file } = await openFilled(t)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file, checkInterval: 200 })
      await holds(tunnel, ENVELOPES)
      damage(file)
      await until(() => lines.some(({ message }) => message.includes('was damaged')))
      t.equal(asides(file).length, 1)
      const { details } = lines.find(({ message }) => message.includes('was damaged'))!
      const { envelopes } = details as { envelopes: number }
      await provider.comeBack()
      for (let i = 0; i < 20; i++) await put(tunnel, provider.dsn)
      await provider.has(envelopes + 20)
      await holds(tunnel, 0)
      t.comment(`${envelopes} of ${ENVELOPES} salvaged`)
      const drops = tunnel.stats().drops.filter(({ reason }) => reason === 'internal_sdk_error')
      t.same(
        drops.reduce((sum, { quantity }) => sum + quantity, 0),
        ENVELOPES - envelopes,
        'the others are counted as dropped'
      )
      if (what.includes('middle')) t.ok(envelopes > ENVELOPES / 2, `${envelopes} salvaged`)
    })
})

t.test(
  'a running server whose spool is removed or replaced continues in a new file, and loses no envelope',
  async (t) => {
    const removals: Record<string, (file: string) => void> = {
      'its file removed': (file) => rmSync(file),
      'all of its files removed': (file) =>
        ['', '-wal', '-shm'].forEach((suffix) => rmSync(file + suffix, { force: true })),
      'its folder removed': (file) => rmSync(dirname(file), { recursive: true }),
      'another file in its place': (file) => (rmSync(file), writeFileSync(file, '')),
      'its log removed': (file) => rmSync(`${file}-wal`)
    }
    for (const [what, remove] of Object.entries(removals))
      await t.test(what, async (t) => {
        const provider = await openProvider(t)
        await provider.goDown()
        const file = join(createFolder(t), 'folder', 'spool.db')
        const { tunnel, lines } = createTunnel(t, { providers: [provider], file, checkInterval: 20 })
        for (let i = 0; i < 30; i++) await put(tunnel, provider.dsn)
        const before = inodesOf(file)
        // Prevents SQLite from reusing the number of the write-ahead log.
        linkSync(`${file}-wal`, join(createFolder(t), 'log'))
        remove(file)
        await until(() => [before.main, 0].every((ino) => inodesOf(file).main !== ino) || what.includes('log'))
        await until(() => [before.log, 0].every((ino) => inodesOf(file).log !== ino))
        for (let i = 0; i < 10; i++) await put(tunnel, provider.dsn)
        await holds(tunnel, 40)
        t.same(tunnel.stats().drops, [])
        if (!what.includes('log'))
          t.match(
            lines.filter(({ message }) => message.startsWith('the spool')),
            [{ level: 'warn', message: /removed or replaced/, details: { envelopes: 30, lost: 0 } }]
          )
        await tunnel.close()
        await provider.comeBack()
        createTunnel(t, { providers: [provider], file })
        await provider.has(40)
      })
  }
)

t.test('an envelope that is delivered while the spool is copied is not confused with another envelope', async (t) => {
  const dsn = 'https://key@provider.example/1'
  const fail = () => Promise.reject(new Error('down'))
  const first = createTunnel(t, { providers: [{ dsn, deliverer: { deliver: fail } }] })
  const began = Date.now()
  await Promise.all(Array.from({ length: ENVELOPES }, () => put(first.tunnel, dsn)))
  await first.tunnel.close()
  // Ids are times. The ids of the copies end at the time at which the second tunnel starts.
  await sleep(began + ENVELOPES - 50 - Date.now())
  const released = Promise.withResolvers<void>()
  const seen: unknown[] = []
  const deliverer: Deliverer = {
    async deliver({ meta }) {
      seen.push(meta.header.event_id)
      await released.promise
      return undefined
    }
  }
  const { tunnel, lines } = createTunnel(t, { providers: [{ dsn, deliverer }], file: first.file, checkInterval: 50 })
  await until(() => seen.length === 16)
  rmSync(first.file)
  await until(() => lines.some(({ message }) => message.includes('removed or replaced')))
  released.resolve()
  await holds(tunnel, 0)
  t.equal(new Set(seen).size, ENVELOPES)
})

t.test('copied envelopes keep their order', async (t) => {
  const provider = await openProvider(t)
  // With a rate limit the running server retries nothing. After a failure it would retry, and change the order.
  provider.conduct(reply(429, { 'retry-after': '600' }))
  const providers = [{ dsn: provider.dsn, concurrency: 1 }]
  const { tunnel, lines, file } = createTunnel(t, { providers, checkInterval: 50 })
  const ids: unknown[] = []
  for (let i = 0; i < 20; i++) ids.push((await put(tunnel, provider.dsn)).meta.header.event_id)
  rmSync(file)
  await until(() => lines.some(({ message }) => message.includes('removed or replaced')))
  await tunnel.close()
  provider.conduct(accept)
  createTunnel(t, { providers, file })
  await provider.has(20)
  t.same(
    provider.received.map(({ header }) => header.event_id),
    ids
  )
})

t.test('a spool that is removed just before the tunnel closes is written again', async (t) => {
  const provider = await openProvider(t)
  await provider.goDown()
  const { tunnel, file } = createTunnel(t, { providers: [provider] })
  for (let i = 0; i < 30; i++) await put(tunnel, provider.dsn)
  rmSync(file)
  await tunnel.close()
  await provider.comeBack()
  createTunnel(t, { providers: [provider], file })
  await provider.has(30)
})

t.test('a read-only spool refuses envelopes, and accepts them when it becomes writable', async (t) => {
  const { provider, file } = await openFilled(t)
  chmodSync(file, 0o444)
  const isRoot = process.geteuid!() === 0
  // Root may write to files of any mode.
  if (isRoot) {
    chmodSync(dirname(file), 0o777)
    process.seteuid!(65_534)
    t.teardown(() => process.seteuid!(0))
  }
  const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
  await t.rejects(put(tunnel, provider.dsn), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  t.match(lines[0], { level: 'warn', message: /cannot be stored/ }, JSON.stringify(lines))
  t.same(asides(file), [])
  if (isRoot) process.seteuid!(0)
  chmodSync(file, 0o666)
  await until(() => tunnel.stats().available)
  await put(tunnel, provider.dsn)
  await provider.comeBack()
  await provider.has(ENVELOPES + 1)
})

t.test('a spool is still locked for other processes after a check for damage', async (t) => {
  const { file } = await openFilled(t)
  const { db } = openSpoolFile(file, () => {})
  t.teardown(() => db.close())
  for (let times = 0; times < 2; times++) t.equal(findDamage(db, file), undefined)
  const open = `
    const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; SELECT count(*) FROM sqlite_schema')`
  const { status, stderr } = spawnSync(process.execPath, ['--eval', open, file], { encoding: 'utf8' })
  t.equal(status, 1)
  t.match(stderr, 'database is locked')
})

t.test('a new spool is not reported as damaged', async (t) => {
  const provider = await openProvider(t)
  const { tunnel, lines } = createTunnel(t, { providers: [provider], checkInterval: 10 })
  for (let i = 0; i < 20; i++) await put(tunnel, provider.dsn)
  await provider.has(20)
  await holds(tunnel, 0)
  t.same(lines, [])
})

t.test('a spool of a newer version of Hull is refused, and stays unchanged', async (t) => {
  const { provider, file } = await openFilled(t)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA user_version = 2')
  db.close()
  const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
  await t.rejects(put(tunnel, provider.dsn), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  t.match(lines, [
    { level: 'warn', message: /cannot be stored/, details: { reason: /newer version of Hull: use that version/ } }
  ])
  t.same(asides(file), [])
})
