import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { startServer, terminate, type ChildServer } from '@hull/test-helpers/child-server.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { findFreePort } from '@hull/test-helpers/free-port.ts'
import { startCaddy, startPostgres } from '@hull/test-helpers/services.ts'
import { PostgresStore } from '../../../packages/inbox/src/store/postgres/postgres-store.ts'

/* Runs the services of deploy/compose/compose.yaml as processes: two replicas, PostgreSQL and the load balancer. */

t.setTimeout(900_000)

const ROOT = join(import.meta.dirname, '../../..')

const isFullLoad = process.env['REPLICAS_LOAD'] === 'full'

/** Maximum requests per second; every fifth request is an envelope. A slow machine sends fewer. */
const RATE = isFullLoad ? 200 : 50

const MAX_OPEN = 20

/** Envelopes that are sent while the replicas and PostgreSQL are killed. */
const MANY = isFullLoad ? 20_000 : 4_000
const MANY_SENDERS = isFullLoad ? 64 : 16

/** DSN of the application's own pages. */
const DSN = 'https://hull@inbox.invalid/1'

const ports = await Promise.all(Array.from({ length: 3 }, findFreePort))
const [sitePort, firstPort, secondPort] = ports as [number, number, number]
const postgres = await startPostgres(t)
const secret = { SESSION_SECRET: randomBytes(32).toString('base64') }
const replicas = [firstPort, secondPort].map((port) => ({ port, DATA_DIR: createFolder(t) }))

const startReplica = ({ port, DATA_DIR }: (typeof replicas)[number]) =>
  startServer(t, {
    ...secret,
    PORT: String(port),
    DATA_DIR,
    DATABASE_URL: postgres.url,
    SHUTDOWN_DELAY: '3s',
    TUNNEL_RATE: '0',
    // A busy machine must not make a replica refuse requests: load shedding has tests of its own.
    MAX_EVENT_LOOP_DELAY: '0',
    LAB: 'on'
  })

const caddy = await startCaddy(t, {
  config: join(ROOT, 'deploy/compose/Caddyfile'),
  port: sitePort,
  env: {
    SITE: `:${sitePort}`,
    REPLICAS: replicas.map(({ port }) => `127.0.0.1:${port}`).join(' ')
  }
})
if (!caddy) t.pass('no load balancer', { skip: 'caddy is not on PATH' })
else {
  const origin = caddy.url
  const servers = await Promise.all(replicas.map(startReplica))
  await eventually(async () => (await fetch(origin)).status === 200)

  const accepted = new Set<string>()

  /** Waits until all accepted envelopes are stored. @returns ids of all stored events */
  async function readStored(): Promise<string[]> {
    const store = new PostgresStore({ url: postgres.url })
    try {
      return await eventually(async () => {
        await sleep(200)
        const ids = store.all<{ id: string }>('SELECT event_id AS id FROM event').map(({ id }) => id)
        return accepted.isSubsetOf(new Set(ids)) && ids
      })
    } finally {
      store.close()
    }
  }

  /**
   * Sends requests until `isDone` returns true, at most `MAX_OPEN` at the same time.
   * @returns messages of failed requests
   */
  async function load(isDone: () => boolean): Promise<string[]> {
    const failures: string[] = []
    const open = new Set<Promise<void>>()
    for (let sent = 0, start = performance.now(); !isDone(); await sleep(5))
      while (sent < ((performance.now() - start) * RATE) / 1_000 && open.size < MAX_OPEN) {
        const request = (sent++ % 5 === 0 ? sendEnvelope() : readPage())
          .catch((error: Error) => {
            failures.push(String(error.cause ?? error))
          })
          .finally(() => open.delete(request))
        open.add(request)
      }
    await Promise.all(open)
    return failures
  }

  async function readPage(): Promise<void> {
    const response = await fetch(`${origin}/lab/items`)
    const body = await response.text()
    if (response.status !== 200 || !body.includes('</html>'))
      throw new Error(`the response of a page is incomplete, or has status ${response.status}`)
  }

  async function sendEnvelope(to = origin): Promise<void> {
    const id = randomBytes(16).toString('hex')
    const event = { event_id: id, timestamp: Date.now() / 1_000, level: 'error', message: 'it broke' }
    const body = `${JSON.stringify({ event_id: id, dsn: DSN })}\n{"type":"event"}\n${JSON.stringify(event)}\n`
    const { status } = await fetch(`${to}/monitoring`, { method: 'POST', body })
    if (status !== 200) throw new Error(`the response to an envelope has status ${status}`)
    accepted.add(id)
  }

  /** Runs `work` while requests are sent. @returns messages of failed requests */
  async function runUnderLoad(work: () => Promise<void>): Promise<string[]> {
    let isDone = false
    const failures = load(() => isDone)
    try {
      await work()
    } finally {
      isDone = true
    }
    return failures
  }

  const isReady = async ({ origin }: ChildServer) => (await fetch(`${origin}/readyz`)).status === 200

  const hasInbox = async ({ origin }: ChildServer) =>
    /^inbox_available 1$/m.test(await (await fetch(`${origin}/metrics`)).text())

  /**
   * Waits until all replicas have connected to the database again, and discards the errors that they logged until then.
   */
  async function waitForDatabase(): Promise<void> {
    for (const server of servers) {
      await eventually(() => hasInbox(server))
      server.takeErrors()
    }
  }

  /** Starts a replica again, and waits until the load balancer sends requests to it. */
  async function restart(index: number): Promise<void> {
    servers[index] = await startReplica(replicas[index]!)
    await eventually(() => isReady(servers[index]!))
    // The load balancer checks the health of replicas every second.
    await sleep(2_000)
  }

  t.test('no request fails while the replicas restart one after the other', async (t) => {
    const failures = await runUnderLoad(async () => {
      for (const index of servers.keys()) {
        const ended = await terminate(servers[index]!)
        t.equal((await ended()).code, 0)
        await restart(index)
      }
    })
    t.same(failures, [])
    t.ok(accepted.size > 25)
  })

  t.test('pages are served, and envelopes accepted, while PostgreSQL is down', async (t) => {
    const failures = await runUnderLoad(async () => {
      await postgres.kill()
      await sleep(2_000)
      for (const server of servers) t.ok(await isReady(server))
      await postgres.start()
    })
    t.same(failures, [])
    await waitForDatabase()
  })

  t.test('the other replica takes the requests of a killed replica', async (t) => {
    const failures = await runUnderLoad(async () => {
      servers[0]!.kill('SIGKILL')
      await servers[0]!.exited
      await sleep(2_000)
      await restart(0)
    })
    // Requests that the killed replica was processing may fail, and envelopes on a connection that it had kept open.
    t.ok(failures.length < RATE, failures.join(', '))
    await eventually(async () => (await fetch(origin)).status === 200)
    t.same(await runUnderLoad(() => sleep(1_000)), [])
  })

  t.test('each accepted envelope is stored once', async (t) => {
    const ids = (await readStored()).filter((id) => accepted.has(id))
    t.equal(ids.length, accepted.size)
    t.ok(accepted.size > 75)
  })

  t.test(`each of ${MANY} envelopes is stored once while both replicas and PostgreSQL are killed`, async (t) => {
    accepted.clear()
    const senders = Array.from({ length: MANY_SENDERS }, async (_sender, index) => {
      // A killed replica sends no response: the envelope does not count as accepted, and may be stored or not.
      for (let turn = index; accepted.size < MANY; turn++)
        await sendEnvelope(servers[turn % servers.length]!.origin).catch(() => sleep(5))
    })
    // Without a timeout, because a busy machine accepts only a hundred envelopes per second.
    const untilAccepted = async (share: number) => {
      while (accepted.size < share * MANY) await sleep(20)
    }
    const replace = async (index: number) => {
      servers[index]!.kill('SIGKILL')
      await servers[index]!.exited
      servers[index]!.takeErrors()
      await restart(index)
    }
    for (const [index, share] of [0.1, 0.6].entries()) {
      await untilAccepted(share)
      await replace(index)
      await untilAccepted(share + 0.1)
      await postgres.kill()
      // These envelopes are only in the spool when a replica is killed.
      await untilAccepted(share + 0.2)
      await replace(1 - index)
      await postgres.start()
      await waitForDatabase()
    }
    await Promise.all(senders)
    const ids = await readStored()
    t.equal(ids.length, new Set(ids).size, 'no event is stored twice')
    t.ok(accepted.size >= MANY)
  })
}
