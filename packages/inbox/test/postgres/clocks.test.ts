// Runs in a process of its own: it builds the pages and starts servers.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { MINUTE } from '@hull/common/time.ts'
import { startServer } from '@hull/test-helpers/child-server.ts'
import { INBOX_PASSWORD } from '@hull/test-helpers/inbox-visitor.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { createClockAhead, startPostgres } from '@hull/test-helpers/services.ts'
import { runChild } from '../../../../scripts/child.js'
import { changes } from '../../src/mutations/index.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { readProjects } from '../../src/store/projects.ts'
import { createReceiver } from '../helpers/alerts.ts'
import { createDatabase } from '../helpers/database.ts'

t.setTimeout(300_000)

const PROJECT = join(import.meta.dirname, '../../../..')
const SERVER = 'packages/inbox/src/hull-inbox.ts'
const clock = createClockAhead(120)
const skip = clock === undefined && 'there is no faketime'
const server = await startPostgres(t)

const built = await runChild(process.execPath, ['scripts/run.js', 'inbox:build'], { cwd: PROJECT, capture: true })
t.equal(built.code, 0, built.output)

t.test('a message is sent once, even if the clock of a replica is ahead', { skip }, async (t) => {
  const database = createDatabase(server.url)
  const store = openPostgres({ url: database })
  t.teardown(() => store.close())
  const receiver = await createReceiver(t)
  // Longer than the interval of the loop in the other replica.
  receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 2_500)
  const env = { DATABASE_URL: database, INBOX_PASSWORD, INBOX_PRIVATE_TARGETS: 'true' }
  await Promise.all([startServer(t, env, SERVER), startServer(t, { ...env, ...clock }, SERVER)])
  await eventually(() => readProjects(store).length > 0)

  const target = { kind: 'webhook', name: 'Team', target: receiver.url, groupMinutes: 0, zone: 'UTC' } as const
  const channel = store.transaction(() =>
    changes.createChannel(store, { ...target, quietFrom: '', quietUntil: '' } as never)
  )
  const tests = 10
  for (let test = 0; test < tests; test++) {
    store.transaction(() => changes.testChannel(store, { id: channel, now: Date.now() }))
    await sleep(300)
  }
  const countSent = () =>
    store.get<{ sent: number }>(`SELECT count(*) AS sent FROM alert_message WHERE state = 'sent'`)!.sent
  await eventually(() => countSent() === tests)
  t.equal(receiver.requests.length, tests)
  t.equal(new Set(receiver.requests.map(({ message }) => message.id)).size, tests)
})

t.test('a check-in has the time of the database, even if the clock of the replica is ahead', { skip }, async (t) => {
  const database = createDatabase(server.url)
  const store = openPostgres({ url: database })
  t.teardown(() => store.close())
  const { origin } = await startServer(t, { DATABASE_URL: database, INBOX_PASSWORD, ...clock }, SERVER)
  const { key } = await eventually(() => readProjects(store)[0])
  const checkIn = JSON.stringify({ check_in_id: 'c'.repeat(32), monitor_slug: 'sync', status: 'ok' })
  const body = `{}\n{"type":"check_in","length":${checkIn.length}}\n${checkIn}\n`
  const { status } = await fetch(`${origin}/api/1/envelope/?sentry_key=${key}`, { method: 'POST', body })
  t.equal(status, 200)
  const stored = store.get<{ received: number; finished: number; last: number }>(
    'SELECT received, finished, last_received AS last FROM check_in JOIN monitor ON monitor.id = monitor_id'
  )!
  for (const time of Object.values(stored)) t.ok(Math.abs(time - Date.now()) < MINUTE, new Date(time).toISOString())
})

t.test('a check-in is not missed before its time, even if the clock of the replica is ahead', { skip }, async (t) => {
  const database = createDatabase(server.url)
  const store = openPostgres({ url: database })
  t.teardown(() => store.close())
  await startServer(t, { DATABASE_URL: database, INBOX_PASSWORD, ...clock }, SERVER)
  await eventually(() => store.get(`SELECT 1 FROM setting WHERE name = 'clock_seen'`) !== undefined)
  // Monitors that were due before the start are planned again, so each look makes them due again.
  await eventually(() => readStatus('first') === 'missed' || void addMonitor('first', -1_000))
  addMonitor('later', 60_000)
  await eventually(() => readStatus('last') === 'missed' || void addMonitor('last', -1_000))
  t.equal(readStatus('later'), 'ok')

  /** @param due milliseconds from now */
  function addMonitor(slug: string, due: number): void {
    const now = Date.now()
    store.run(
      `INSERT INTO monitor (project, slug, environment, every, unit, zone, margin, max_runtime, status, last_received, next, due)
       VALUES (1, ?, '', 1, 'day', 'UTC', 60000, 60000, 'ok', ?, ?, ?)
       ON CONFLICT (project, slug, environment) DO UPDATE SET next = excluded.next, due = excluded.due`,
      slug,
      now,
      now + due - 60_000,
      now + due
    )
  }

  function readStatus(slug: string): string | undefined {
    return store.get<{ status: string }>('SELECT status FROM monitor WHERE slug = ?', slug)?.status
  }
})
