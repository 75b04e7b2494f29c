import { captureMessage, withScope } from '@sentry/core'
import t from 'tap'
import { Pool } from 'undici'
import { createListeningApp } from '@hull/test-helpers/app.ts'
import { INBOX_PASSWORD, signIn } from '@hull/test-helpers/inbox-visitor.ts'
import { eventually } from '@hull/test-helpers/patience.ts'

const REQUESTS = 600
const CLIENTS = 32

const { app, origin } = await createListeningApp(t, { env: { INBOX_PASSWORD, TRACES_SAMPLE_RATE: '1' } })
await eventually(() => app.telemetry!.isReady)

const dropMetrics = async () =>
  (await app.metrics.print()).split('\n').filter((line) => line.startsWith('monitoring_sdk_dropped_items_total{'))

t.test('stores the transaction of every request of 32 clients', async (t) => {
  const pool = new Pool(origin, { connections: CLIENTS })
  t.teardown(() => pool.close())
  let left = REQUESTS
  async function visit() {
    while (left-- > 0) {
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/' })
      await body.dump()
      if (statusCode !== 200) t.fail(`${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, visit))
  await app.telemetry!.flush(60_000)
  t.equal(app.inbox!.stats().stored['transaction'], REQUESTS)
  t.same(await dropMetrics(), [])
})

t.test('stores every error that a loop reports', async (t) => {
  for (let n = 0; n < 200; n++) app.telemetry!.captureError({ error: new Error(`${n}`), digest: `${n}` })
  await new Promise(setImmediate)
  await app.telemetry!.flush(60_000)
  t.equal(app.inbox!.stats().stored['event'], 200)
  t.same(await dropMetrics(), [])
})

t.test('drops reports above 8 MiB, and shows them in the metrics and the doctor', async (t) => {
  const data = Buffer.alloc(1024 ** 2 - 1, 'x')
  for (let n = 0; n < 10; n++)
    withScope((scope) => {
      scope.addAttachment({ filename: 'large.txt', data })
      captureMessage('large')
    })
  await new Promise(setImmediate)
  // The queue is full when the report of these drops is created, so the report is sent with the second flush.
  await app.telemetry!.flush(60_000)
  await app.telemetry!.flush(60_000)
  t.equal(app.inbox!.stats().stored['event'], 208)
  t.same(await dropMetrics(), [
    'monitoring_sdk_dropped_items_total{reason="queue_overflow",category="error"} 2',
    'monitoring_sdk_dropped_items_total{reason="queue_overflow",category="attachment"} 2'
  ])
  const { drops } = await app.inbox!.queries.getHealth({})
  const dropped = { origin: 'client', reason: 'queue_overflow', quantity: 2 }
  t.same(
    drops.filter(({ origin }) => origin === 'client'),
    [
      { ...dropped, category: 'attachment' },
      { ...dropped, category: 'error' }
    ]
  )
  const doctor = (await (await signIn(app)).get('/inbox/doctor')).body
  t.match(doctor, 'errors, dropped by clients')
  t.match(doctor, 'the queue of the client was full')
})
