import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { SpoolUnavailable } from '@hull/monitoring/envelope'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { InboxKeyUnknown } from '../../src/errors.ts'
import { openOutageSpool } from '../../src/store/outage-spool.ts'
import { createEnvelope } from '../helpers/writer.ts'

/** Opens a spool whose file cannot be written, before a database that refuses every envelope. */
function openBlocked(t: Test) {
  const blocked = join(createFolder(t), 'blocked')
  writeFileSync(blocked, '')
  const lines: string[] = []
  const log = (_details: object, message: string) => lines.push(message)
  const spool = openOutageSpool({
    file: join(blocked, 'spool.db'),
    maxBytes: 2 ** 20,
    maxAge: 60_000,
    log: { info: log, warn: log, error: log },
    sink: { accept: () => Promise.reject(new InboxKeyUnknown()) }
  })
  t.teardown(() => spool.close())
  const keep = (size: number, receivedAt = Date.now()) =>
    spool.keep(createEnvelope([], { receivedAt }).meta, new Uint8Array(size))
  return { spool, keep, lines }
}

t.test('the memory limit counts the bodies of envelopes and a fixed size for each envelope', async (t) => {
  const { spool, keep } = openBlocked(t)
  await keep(31 * 1024, Date.now() - 5_000)
  for (let kept = 1; kept < 512; kept++) await keep(31 * 1024)
  await t.rejects(keep(0), SpoolUnavailable)
  t.match(spool.waiting(), { envelopes: 512, bytes: 16 * 2 ** 20 })
  t.ok(spool.waiting().oldestAge >= 5_000)
})

t.test('envelopes of a project that was removed in the meantime do not wait forever', async (t) => {
  const { spool, keep, lines } = openBlocked(t)
  await keep(10)
  t.equal(spool.waiting().envelopes, 1)
  spool.setAvailable(true)
  t.ok(await eventually(() => spool.waiting().envelopes === 0))
  t.equal(lines.at(-1), 'no envelopes wait in memory any more')
})
