// Runs in a process of its own: it measures the memory of its process.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { PATIENCE } from '@hull/test-helpers/patience.ts'
import { openProvider } from '@hull/test-helpers/provider.ts'
import { createSample, createTunnel, until } from '@hull/test-helpers/tunnel.ts'
import { startTunnel } from '@hull/test-helpers/tunnel-process.ts'

const MIB = 1024 ** 2

t.test('writers', async (t) => {
  t.test('get a promise to wait for while many bytes are not yet written to disk', async (t) => {
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel } = createTunnel(t, { providers: [provider], maxBytes: 256 * MIB })
    const writer = tunnel.begin()
    const chunk = new Uint8Array(64 * 1024)
    let written = 0
    let wait: Promise<void> | undefined
    while (wait === undefined && written < 64 * MIB) {
      wait = writer.write(chunk)
      written += chunk.length
    }
    t.ok(written < 16 * MIB)
    await wait
    t.equal(writer.write(chunk), undefined)
    writer.abort()
  })

  t.test('of many concurrent envelopes keep few bytes in memory', async (t) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const provider = await openProvider(t)
    await provider.goDown()
    const { tunnel } = createTunnel(t, { providers: [provider], maxBytes: 512 * MIB })
    collect()
    const before = process.memoryUsage().arrayBuffers
    const writers = Array.from({ length: 500 }, () => tunnel.begin())
    for (let i = 0; i < 4; i++) {
      for (const writer of writers) await writer.write(Buffer.allocUnsafeSlow(60 * 1024))
    }
    let held = Infinity
    // V8 releases the memory of buffers some time after they are collected.
    for (const end = Date.now() + PATIENCE; held >= 60 * MIB && Date.now() < end; await sleep(50)) {
      collect()
      held = process.memoryUsage().arrayBuffers - before
    }
    t.ok(held < 60 * MIB, `${Math.round(held / MIB)} MiB of 117`)
    for (const writer of writers) writer.abort()
  })

  t.test('and deliveries need the same memory, whatever the size of the spool', async (t) => {
    const provider = await openProvider(t)
    const file = join(createFolder(t), 'spool.db')
    const sample = createSample(provider.dsn, { size: 10 * MIB })
    // The provider reads and discards the bytes.
    let delivered = 0
    provider.answerEarly((response) => void response.req.resume().on('end', () => response.end(() => delivered++)))
    const child = await startTunnel(t, file, provider.dsn)
    const small = await child.fill(8, sample)
    await until(() => delivered === 8)
    await provider.goDown()
    await child.fill(48, sample)
    await provider.comeBack()
    await until(() => delivered >= 56)
    const large = await child.fill(0, sample)
    // Two threads have garbage that is not collected yet: 35 to 140 MiB were measured, whatever the size of the spool.
    t.ok(large - small < 200 * MIB, `${Math.round((large - small) / MIB)} MiB more for 480`)
  })
})
