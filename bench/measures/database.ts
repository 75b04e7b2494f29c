import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@hull/test-helpers/services.ts'
import pg from 'pg'
import { Client } from 'undici'
import { moveInbox } from '../../packages/inbox/src/store/move/move.ts'
import { buildOwnPages } from '../contenders/hull.ts'
import { fill } from '../fill.ts'
import { fillStore, removeStore, storeFile } from '../inbox-stores.ts'
import type { LoadRequest } from '../load.ts'
import { costOfEach } from '../short-turns.ts'
import { percentile } from '../ratios.ts'
import { createDataFolder, startServer, type Built, type Server } from '../servers.ts'
import { createIntakeRequest } from './inbox.ts'
import { openSubject, PAGES, type Subject } from './inbox-pages.ts'
import type { Bench, Measurement } from './measure.ts'
import { withEnv } from './variants.ts'

/** Connections that send envelopes to each replica, one envelope at a time on each connection. */
const SENDERS = 64

/** Seconds of a turn with envelopes. */
const TURN_SECONDS = 5

/** Numbers of replicas that share the database. */
const REPLICAS = [2, 4, 8] as const

/** A page of the application. */
const PAGE = '/list'

/** Measured requests of a page of the inbox, and requests before them to warm up. */
const PAGE_REQUESTS = 80
const WARM_UP_REQUESTS = 10

/** Seconds for the work of a server after its start, and for the first sweep of the retention with a million events. */
const SETTLE_SECONDS = 5
const SWEEP_SECONDS = 60

/**
 * Measures the inbox in PostgreSQL: the time for storing envelopes, relative to SQLite and with more replicas; the CPU
 * of a page of the application; and the time for each page of the inbox with a million events. Commits wait for the
 * disk. The database, the servers and the load share both cores.
 */
export async function measureDatabase(bench: Bench): Promise<Measurement[]> {
  const hull = bench.built.find(({ name }) => name === 'hull')
  if (!hull) return []
  const ends: (() => unknown)[] = []
  try {
    const { url } = await startPostgres({ teardown: (end) => void ends.push(end) }, { isDurable: true })
    return [...(await measureStoring(bench, hull, url)), ...(await measureScreens(bench, url))]
  } finally {
    for (const end of ends) await end()
  }
}

async function measureStoring(bench: Bench, hull: Built, server: string): Promise<Measurement[]> {
  const { options, bothCores, load, say } = bench
  const env = { TUNNEL_RATE: '0', TRACES_SAMPLE_RATE: '0', SESSION_SECRET: 'of the replicas of a run of the bench' }
  const start = (more: Record<string, string> = {}) => startServer(withEnv(hull, { ...env, ...more }), bothCores)
  const inFile = await start()
  const database = await createDatabase(server, 'storing')
  const replicas: Server[] = []
  for (let count = 0; count < REPLICAS.at(-1)!; count++) replicas.push(await start({ DATABASE_URL: database }))
  const [one] = replicas as [Server]
  const fileRequest = await createIntakeRequest(inFile)
  const databaseRequest = await createIntakeRequest(one)
  await sleep(SETTLE_SECONDS * 1_000)

  say(`database: CPU of ${PAGE}`)
  for (const warm of [inFile, one]) await load.run(warm, PAGE, { seconds: options.warmUp })
  const pages: number[] = []
  for (let round = 0; round < options.rounds; round++) {
    const [without, beside] = await costOfEach(load, [inFile, one], PAGE, options.seconds)
    pages.push(beside! / without!)
  }

  // Warm-up.
  await timeStoring([inFile], fileRequest)
  await timeStoring(replicas, databaseRequest)
  const toFileRatios: number[] = []
  const byReplicas = new Map(REPLICAS.map((count) => [count, [] as number[]]))
  for (let round = 1; round <= options.rounds; round++) {
    say(`database: storing, round ${round} of ${options.rounds}`)
    const file = await timeStoring([inFile], fileRequest)
    const alone = await timeStoring([one], databaseRequest)
    toFileRatios.push(alone / file)
    for (const count of REPLICAS)
      byReplicas.get(count)!.push((await timeStoring(replicas.slice(0, count), databaseRequest)) / alone)
  }
  for (const running of [inFile, ...replicas]) await running.stop()
  return [
    toMeasurement('database page', `CPU of ${PAGE}: inbox in PostgreSQL, relative to SQLite`, pages),
    toMeasurement('database time', 'inbox in PostgreSQL, time per item: relative to SQLite', toFileRatios),
    ...REPLICAS.map((count) =>
      toMeasurement(
        `database ${count} replicas`,
        `inbox in PostgreSQL, time per item: ${count} replicas, relative to one`,
        byReplicas.get(count)!
      )
    )
  ]
}

const toMeasurement = (id: string, label: string, ratios: number[]): Measurement => ({
  id,
  label,
  unit: 'times',
  samples: { hull: ratios }
})

/** Sends envelopes to all servers as fast as they respond. @returns milliseconds per stored envelope */
async function timeStoring(servers: readonly Server[], { path, headers, bodies }: LoadRequest): Promise<number> {
  const begin = performance.now()
  const end = begin + TURN_SECONDS * 1_000
  let sent = 0
  await Promise.all(
    Array.from({ length: SENDERS * servers.length }, async (_sender, index) => {
      const client = new Client(servers[index % servers.length]!.origin)
      while (performance.now() < end) {
        const body = fill(bodies![sent++ % bodies!.length]!)
        const response = await client.request({ path, method: 'POST', headers, body })
        await response.body.dump()
        if (response.statusCode !== 200)
          throw new Error(`The response to an envelope has status ${response.statusCode}`)
      }
      await client.close()
    })
  )
  return (performance.now() - begin) / sent
}

/**
 * Measures the 95th percentile of the time for each page of the inbox, signed in, with the same million events in
 * SQLite and in PostgreSQL.
 */
async function measureScreens({ options, bothCores, say }: Bench, server: string): Promise<Measurement[]> {
  say('database: filling a file with a million events, and copying it to a database')
  const own = await buildOwnPages()
  fillStore('large', Date.now())
  const database = await createDatabase(server, 'screens')
  moveInbox({ file: storeFile('large'), database, report: say })
  const inFile = await openSubject(own, 'large', bothCores)
  const inDatabase = await openSubject(own, 'large', bothCores, {
    DATABASE_URL: database,
    DATA_DIR: createDataFolder()
  })
  await sleep(SWEEP_SECONDS * 1_000)
  const ratios = new Map(PAGES.map(({ id }) => [id, [] as number[]]))
  for (let round = 1; round <= options.rounds; round++) {
    say(`database: pages of the inbox, round ${round} of ${options.rounds}`)
    for (const { id, path } of PAGES) {
      const [file, inPostgres] = await timePage([inFile, inDatabase], path)
      ratios.get(id)!.push(inPostgres! / file!)
    }
  }
  for (const subject of [inFile, inDatabase]) await subject.server.stop()
  removeStore('large')
  return PAGES.map(({ id }) =>
    toMeasurement(
      `database page ${id}`,
      `inbox page, ${id}, p95 with a million events: PostgreSQL, relative to SQLite`,
      ratios.get(id)!
    )
  )
}

/**
 * Measures the 95th percentile of the time for a page of each server, in milliseconds. One request at a time, to the
 * servers in turns, so that other work of the machine slows all servers down alike.
 */
async function timePage(subjects: readonly Subject[], path: (ids: Subject['ids']) => string): Promise<number[]> {
  const timed = subjects.map(({ server, ids, cookie }) => ({
    client: new Client(server.origin),
    request: { path: path(ids), method: 'GET', headers: { accept: 'text/html', cookie } } as const,
    times: [] as number[]
  }))
  for (let count = 0; count < WARM_UP_REQUESTS + PAGE_REQUESTS; count++)
    for (const { client, request, times } of timed) {
      const begin = performance.now()
      const { statusCode, body } = await client.request(request)
      await body.dump({ limit: Infinity })
      if (statusCode !== 200) throw new Error(`The response of ${request.path} has status ${statusCode}`)
      if (count >= WARM_UP_REQUESTS) times.push(performance.now() - begin)
    }
  for (const { client } of timed) await client.close()
  return timed.map(({ times }) => percentile(times, 0.95))
}

/** Creates a database. @returns its URL */
async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: `/${name}` }).href
}
