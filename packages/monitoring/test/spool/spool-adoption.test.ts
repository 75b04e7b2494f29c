import { closeSync, openSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createTunnel, holds, put, until } from '@hull/test-helpers/tunnel.ts'

const ENVELOPES = 100
const PAGE = 8192

/** Creates the spools of two processes that have exited, and a provider that is down. */
async function openSiblings(t: Test) {
  const provider = await openProvider(t)
  await provider.goDown()
  const folder = createFolder(t)
  for (const name of ['spool.2.db', 'spool.3.db']) {
    const { tunnel, file } = createTunnel(t, { providers: [provider] })
    const options = { size: 4_000, counts: { error: 1, attachment: 2 } }
    await Promise.all(Array.from({ length: ENVELOPES }, () => put(tunnel, provider.dsn, options)))
    await tunnel.close()
    renameSync(file, join(folder, name))
  }
  return { provider, folder, file: join(folder, 'spool.db'), sibling: join(folder, 'spool.2.db') }
}

function change(file: string, sql: string) {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

const toCounts = (drops: Array<{ reason: string; category: string; quantity: number }>) =>
  Object.fromEntries(drops.map(({ reason, category, quantity }) => [`${reason}/${category}`, quantity]))

t.test('an envelope that cannot be copied is dropped, and the others are taken over', async (t) => {
  const damages = {
    'without a row of its body': 'DELETE FROM bodies WHERE id = (SELECT min(id) FROM bodies)',
    'with a shorter body': `UPDATE bodies SET bytes = x'00' WHERE id = (SELECT min(id) FROM bodies)`
  }
  for (const [what, sql] of Object.entries(damages))
    await t.test(what, async (t) => {
      const { provider, file, sibling } = await openSiblings(t)
      change(sibling, sql)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
      await holds(tunnel, 2 * ENVELOPES - 1)
      await until(() => lines.length === 2)
      t.same(toCounts(tunnel.stats().drops), { 'internal_sdk_error/error': 1, 'internal_sdk_error/attachment': 2 })
      t.match(lines, [
        { level: 'warn', message: /^took over/, details: { path: sibling, envelopes: ENVELOPES - 1, lost: 1 } },
        { level: 'info', message: /^took over/, details: { envelopes: ENVELOPES, lost: 0 } }
      ])
      await provider.comeBack()
      await provider.has(2 * ENVELOPES - 1)
    })
})

t.test('an envelope of an unknown lane is dropped, and the others are taken over', async (t) => {
  const { provider, file, sibling } = await openSiblings(t)
  change(sibling, 'UPDATE envelopes SET lane = 99 WHERE id = (SELECT min(id) FROM envelopes)')
  const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
  await holds(tunnel, 2 * ENVELOPES - 1)
  await until(() => lines.length === 2)
  t.match(lines[0], { level: 'warn', details: { envelopes: ENVELOPES - 1, lost: 1 } })
})

t.test('a damaged spool of an exited process is renamed, and the other spools are taken over', async (t) => {
  const damages: Record<string, (file: string) => void> = {
    'pages in its middle'(file) {
      const handle = openSync(file, 'r+')
      for (const page of [20, 21, 22]) writeSync(handle, Buffer.alloc(PAGE, 'x'), 0, PAGE, page * PAGE)
      closeSync(handle)
    },
    'no database': (file) => writeFileSync(file, 'no database '.repeat(1_000))
  }
  for (const [what, damage] of Object.entries(damages))
    await t.test(what, async (t) => {
      const { provider, folder, file, sibling } = await openSiblings(t)
      damage(sibling)
      const { tunnel, lines } = createTunnel(t, { providers: [provider], file })
      await until(() => lines.length === 2)
      t.match(lines, [
        { level: 'warn', message: /was damaged/, details: { aside: /spool\.2\.db\.corrupt-/ } },
        { level: 'info', message: /^took over/, details: { envelopes: ENVELOPES } }
      ])
      t.match(
        readdirSync(folder).filter((name) => name.includes('.2.')),
        [/^spool\.2\.db\.corrupt-.*Z$/]
      )
      const { envelopes, lost } = lines[0]!.details as { envelopes: number; lost: number }
      t.comment(`${envelopes} salvaged, ${lost} lost`)
      if (what.includes('middle')) t.ok(envelopes > ENVELOPES / 2 && lost > 0)
      await holds(tunnel, ENVELOPES + envelopes)
      t.equal(toCounts(tunnel.stats().drops)['internal_sdk_error/error'] ?? 0, lost)
      await provider.comeBack()
      await provider.has(ENVELOPES + envelopes)
    })
})
