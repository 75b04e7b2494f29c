import { closeSync, openSync, readdirSync, statSync, truncateSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { createFolder } from '../../helpers/folder.ts'
import { openProvider } from '../../helpers/provider.ts'
import { createTunnel, holds, put, until } from '../../helpers/tunnel.ts'

const ENVELOPES = 300
const PAGE = 8192

/** A spool that has its envelopes in the file, and a provider that is down. */
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

t.test('a spool that is damaged under a running server is noticed, and taken on from there', async (t) => {
  const damages: Record<string, (file: string) => void> = {
    'pages in its middle': (file) => overwrite(file, 40, 41, 42),
    'its first page': (file) => overwrite(file, 0),
    'cut in half': (file) => truncateSync(file, Math.floor(statSync(file).size / PAGE / 2) * PAGE),
    'of no length': (file) => truncateSync(file, 0)
  }
  for (const [what, damage] of Object.entries(damages))
    await t.test(what, async (t) => {
      const { provider, file } = await openFilled(t)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file, lookInterval: 200 })
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
      if (what.includes('middle')) t.ok(envelopes > ENVELOPES / 2, `${envelopes} salvaged`)
    })
})

t.test('a new spool is not damaged', async (t) => {
  const provider = await openProvider(t)
  const { tunnel, lines } = createTunnel(t, { providers: [provider], lookInterval: 10 })
  for (let i = 0; i < 20; i++) await put(tunnel, provider.dsn)
  await provider.has(20)
  await holds(tunnel, 0)
  t.same(lines, [])
})

t.test('a spool of a newer Hull is refused, and stays as it is', async (t) => {
  const { provider, file } = await openFilled(t)
  const db = new DatabaseSync(file)
  db.exec('PRAGMA user_version = 2')
  db.close()
  const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
  await t.rejects(put(tunnel, provider.dsn), { code: 'APP_MONITORING_SPOOL_UNAVAILABLE' })
  t.match(lines, [{ level: 'warn', message: /cannot be kept/, details: { reason: /newer Hull: start that one/ } }])
  t.same(asides(file), [])
})
