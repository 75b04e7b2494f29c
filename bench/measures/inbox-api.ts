import { DatabaseSync } from 'node:sqlite'
import { Client } from 'undici'
import { queries } from '../../packages/inbox/src/queries/index.ts'
import { SqliteStore } from '../../packages/inbox/src/store/sqlite/sqlite-store.ts'
import { buildOwnPages } from '../contenders/hull.ts'
import { createApiToken, PASSWORD, signIn } from '../inbox-sign-in.ts'
import { fillStore, removeStore, storeFile, storeFolder } from '../inbox-stores.ts'
import { percentile } from '../ratios.ts'
import { startServer } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

const DAY = 86_400_000

/**
 * Requests, and queries, per turn. The rate limit allows a token a burst of 100 requests, so each turn has a new token.
 */
const TURN = 90

/** Turns before the first round. */
const WARM_UP_TURNS = 10

/** Issues per response, as many as the page lists. */
const LIMIT = 50

/**
 * Measures the 95th percentile of the time for the API's list of issues, of a day with a million events in the store,
 * relative to that of its query alone.
 */
export async function measureInboxApi({ options, bothCores, say }: Bench): Promise<Measurement[]> {
  say('inbox API: building, and filling a store with a million events, about a minute')
  const { name, launch } = await buildOwnPages()
  fillStore('large', Date.now())
  const store = new SqliteStore(new DatabaseSync(storeFile('large'), { readOnly: true }))
  store.db.exec('PRAGMA cache_size = -16384')
  const env = {
    ...launch.env,
    DATA_DIR: storeFolder('large'),
    INBOX_PASSWORD: PASSWORD,
    INBOX_RETENTION_DAYS: '365',
    INBOX_MAX_BYTES: '16GiB',
    TRACES_SAMPLE_RATE: '0',
    MAX_EVENT_LOOP_DELAY: '0'
  }
  const server = await startServer({ name, launch: { ...launch, env } }, bothCores)
  const cookie = await signIn(server.origin)
  const client = new Client(server.origin)

  const runQuery = async () => {
    const until = Date.now()
    store.runFor(undefined, () => queries.listIssues(store, { view: { since: until - DAY, until }, limit: LIMIT }))
  }
  /** Queries and requests alternate, so that other work of the machine slows both down alike. */
  const runTurn = async () => {
    const headers = { authorization: `Bearer ${await createApiToken(server.origin, cookie)}` }
    const sendRequest = async () => {
      const { statusCode, body } = await client.request({
        path: `/inbox/api/issues?limit=${LIMIT}`,
        method: 'GET',
        headers
      })
      await body.dump({ limit: Infinity })
      if (statusCode !== 200) throw new Error(`The response of the API has status ${statusCode}`)
    }
    await sendRequest()
    const times: { query: number[]; request: number[] } = { query: [], request: [] }
    for (let time = 0; time < TURN; time++) {
      times.query.push(await timeOf(runQuery))
      times.request.push(await timeOf(sendRequest))
    }
    return { query: percentile(times.query, 0.95), request: percentile(times.request, 0.95) }
  }

  // Warm-up: V8 compiles the code.
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) await runTurn()
  const ratios: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    const { query, request } = await runTurn()
    say(`inbox API, round ${round} of ${options.rounds}: ${request.toFixed(2)} ms to ${query.toFixed(2)} ms`)
    ratios.push(request / query)
  }
  await client.destroy()
  await server.stop()
  store.close()
  removeStore('large')
  return [
    {
      id: 'api issues',
      label: 'inbox API, p95 of the list of issues with a million events, relative to its query',
      unit: 'times',
      samples: { hull: ratios }
    }
  ]
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
