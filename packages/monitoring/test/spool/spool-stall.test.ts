import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { createLog, createSample, until } from '@hull/test-helpers/tunnel.ts'
import { SpoolClient } from '../../src/spool/spool-client.ts'
import { createWriters } from '../../src/spool/spool-writer.ts'

const MIB = 1024 ** 2
const UNAVAILABLE = { code: 'APP_MONITORING_SPOOL_UNAVAILABLE', statusCode: 503 }

t.test('no rows stay on disk of a large envelope whose commit fails while the disk does not respond', async (t) => {
  const file = join(createFolder(t), 'spool.db')
  let stored = 0
  const client = new SpoolClient({
    file,
    maxBytes: 64 * MIB,
    maxFileBytes: 64 * MIB,
    firstId: 1,
    log: createLog().log,
    onState({ bytes }) {
      stored = bytes
    },
    threadFile: new URL('../fixtures/stalling-thread.ts', import.meta.url),
    answerTimeout: 2_000
  })
  t.teardown(() => client.close())
  client.push({ op: 'release', dsn: '' })
  await client.settled()
  await until(() => client.available)

  const writer = createWriters(client, 1)()
  await writer.write(new Uint8Array(MIB))
  await until(() => stored === MIB)
  writeFileSync(`${file}.stall`, '')
  // The thread may respond to the first of these batches, but not to the others.
  await until(() => {
    client.push({ op: 'release', dsn: '' })
    return !client.available
  })
  await t.rejects(writer.commit(createSample('http://key@localhost/1').meta), UNAVAILABLE)

  rmSync(`${file}.stall`)
  await until(() => client.available)
  await client.settled()
  t.equal(stored, 0)
})
