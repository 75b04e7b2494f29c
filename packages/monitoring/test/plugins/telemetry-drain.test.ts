import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import { drain, health, replyClose } from '@hull/shell'
import { createCollector } from '@hull/test-helpers/collector.ts'
import { listen } from '@hull/test-helpers/listen.ts'
import telemetry from '../../src/plugins/telemetry.ts'

/** Errors to capture: more than the provider, which needs 400 ms per batch, accepts in the 500 ms of a close. */
const ERRORS = 400

t.test('captured errors are sent to a slow provider while the shutdown has time left', async (t) => {
  let received = 0
  const provider = createServer((request, response) => {
    request.resume().on('end', () => {
      received++
      setTimeout(() => response.end('{}'), 400)
    })
  })
  const { origin, port } = await listen(t, provider)

  const app = Fastify()
  await app.register(replyClose)
  await app.register(health, {})
  await app.register(drain)
  await app.register(telemetry, {
    to: {
      dsn: `http://0123456789abcdef0123456789abcdef@127.0.0.1:${port}/1`,
      async send(_dsn, body) {
        await (await fetch(origin, { method: 'POST', body: Buffer.from(body) })).text()
      }
    },
    environment: 'test',
    release: '1',
    sampleRate: 0
  })
  await app.ready()
  for (let n = 0; n < ERRORS; n++)
    app.telemetry!.captureError({ error: new Error(`error ${n}`), digest: String(n).padStart(12, '0') })
  await app.drain.start({ responses: 60_000, functions: 1_000 })
  t.ok(received >= ERRORS, 'the provider received all errors')
  t.equal(app.telemetry!.unsent, 0)
  await app.close()
})

t.test('a server that closes without a drain, as in a test, waits until the inbox is open', async (t) => {
  // An inbox that a slow machine opens.
  const collector = createCollector(() => wait(900))
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => lines.push(line) } } })
  await app.register(telemetry, { to: collector.to, environment: 'test', release: '1', sampleRate: 0 })
  await app.ready()
  app.telemetry!.captureError({ error: new Error('the last one'), digest: '000000000001' })
  await app.close()
  t.equal(app.telemetry!.unsent, 0)
  t.same(lines, [])
})
