import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openTarget } from '@hull/test-helpers/target.ts'

t.setTimeout(300_000)

const COUNT = 10_000

/**
 * Milliseconds until the server has closed all idle connections: its timeout is a minute, and it checks every half
 * minute.
 */
const END = 120_000

t.test('10,000 idle connections do not delay other clients, and are closed', async (t) => {
  const { app, port, checkAlive } = await openTarget(t)
  const connections = () =>
    new Promise<number>((resolve) =>
      app.server.getConnections((_error, count) => {
        resolve(count)
      })
    )
  await checkAlive()

  const before = process.memoryUsage().rss
  const clients = fork(join(import.meta.dirname, '../../../packages/shell/test/fixtures/idle-clients.ts'), [
    String(port),
    String(COUNT)
  ])
  t.teardown(() => clients.kill())
  await once(clients, 'message')
  await pause(1_000)
  t.ok((await connections()) >= COUNT)
  t.comment(`${((process.memoryUsage().rss - before) / COUNT / 1024).toFixed(1)} KiB of memory per connection`)

  const times: number[] = []
  for (let i = 0; i < 50; i++) {
    const began = performance.now()
    await checkAlive()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  t.comment(`time of a page: median ${times[25]!.toFixed(1)} ms, slowest ${times[49]!.toFixed(1)} ms`)
  t.ok(times[49]! < 5_000)

  for (const began = Date.now(); (await connections()) > 0 && Date.now() - began < END;) await pause(500)
  t.equal(await connections(), 0, 'the server has closed all idle connections')
  await checkAlive()
})
