import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { buildOwnPages } from '../contenders/hull.ts'
import { PASSWORD, signIn } from '../inbox-sign-in.ts'
import { fillStore, removeStore, storeFile, storeFolder, type StoreSize } from '../inbox-stores.ts'
import { readCpu } from '../processes.ts'
import { startServer, type Built, type Server } from '../servers.ts'
import type { Bench, Measurement } from './measure.ts'

/** Pages of the inbox at their default range, and the pages with a time range also for 30 days. */
export const PAGES: { id: string; path: (ids: StoreIds) => string }[] = [
  { id: 'overview', path: () => '/inbox' },
  { id: 'issues', path: () => '/inbox/issues' },
  { id: 'issue', path: ({ issue }) => `/inbox/issues/${issue}` },
  { id: 'event', path: ({ issue, event }) => `/inbox/issues/${issue}?event=${event}` },
  { id: 'traces', path: () => '/inbox/traces' },
  { id: 'trace', path: ({ trace }) => `/inbox/traces/${trace}` },
  { id: 'route', path: ({ route }) => `/inbox/traces?route=${encodeURIComponent(route)}&side=server` },
  { id: 'vitals', path: () => '/inbox/vitals' },
  { id: 'releases', path: () => '/inbox/releases' },
  { id: 'release', path: ({ release }) => `/inbox?release=${release}` },
  { id: 'doctor', path: () => '/inbox/doctor' },
  { id: 'settings', path: () => '/inbox/settings' },
  { id: 'storage', path: () => '/inbox/settings/storage' },
  { id: 'overview 30d', path: () => '/inbox?range=30d' },
  { id: 'issues 30d', path: () => '/inbox/issues?range=30d' },
  { id: 'issue 30d', path: ({ issue }) => `/inbox/issues/${issue}?range=30d` },
  { id: 'traces 30d', path: () => '/inbox/traces?range=30d' },
  { id: 'route 30d', path: ({ route }) => `/inbox/traces?route=${encodeURIComponent(route)}&side=server&range=30d` },
  { id: 'vitals 30d', path: () => '/inbox/vitals?range=30d' },
  { id: 'releases 30d', path: () => '/inbox/releases?range=30d' }
]

/** A page of fifty cards, with which the overview is compared. */
const ITEMS = '/lab/items'

/** Seconds of a turn. CPU is counted in steps of 10 ms, so a turn with a few hundred milliseconds is exact enough. */
const TURN_SECONDS = 0.6
const WARM_UP_SECONDS = 1

/** Seconds for a server to import its source maps, and for other work after its start. */
const SETTLE_SECONDS = 5

/** Ids of a store, for the paths of its pages. */
interface StoreIds {
  /** The issue with the most events, and one event of it. */
  issue: number
  event: string
  trace: string
  route: string
  release: string
}

/** A server on one of the stores, with a signed-in visitor. */
export interface Subject {
  server: Pick<Server, 'origin' | 'pid' | 'stop'>
  ids: StoreIds
  cookie: string
}

/**
 * Measures the CPU of the process, with all threads, for each page of the inbox with a million events, relative to the
 * same page with a thousand events.
 */
export async function measureInboxPages({ options, serverCore, say }: Bench): Promise<Measurement[]> {
  say('inbox pages: building, and filling a store with a million events, about a minute')
  const own = await buildOwnPages()
  const now = Date.now()
  for (const size of ['small', 'large'] as const) fillStore(size, now)
  const small = await openSubject(own, 'small', serverCore)
  const large = await openSubject(own, 'large', serverCore)
  await sleep(SETTLE_SECONDS * 1_000)
  const pageIds = PAGES.map(({ id }) => id)
  for (const subject of [small, large])
    for (const path of [ITEMS, ...PAGES.map(({ path }) => path(subject.ids))])
      await costOf(subject, path, WARM_UP_SECONDS)

  const ratios = new Map<string, number[]>(pageIds.map((id) => [id, []]))
  const toItems: number[] = []
  for (let round = 1; round <= options.rounds; round++) {
    say(`inbox pages, round ${round} of ${options.rounds}`)
    for (const { id, path } of PAGES) {
      const base = await costOf(small, path(small.ids))
      const cost = await costOf(large, path(large.ids))
      ratios.get(id)!.push(cost / base)
      if (id === 'overview') toItems.push(cost / (await costOf(large, ITEMS)))
    }
  }
  for (const { server } of [small, large]) await server.stop()
  for (const size of ['small', 'large'] as const) removeStore(size)
  return [
    ...PAGES.map(({ id }): Measurement => ({
      id: `page ${id}`,
      label: `inbox page, ${id}: a million events, relative to a thousand`,
      unit: 'times',
      samples: { hull: ratios.get(id)! }
    })),
    {
      id: 'page overview to items',
      label: `inbox page, overview: a million events, relative to ${ITEMS}`,
      unit: 'times',
      samples: { hull: toItems }
    }
  ]
}

/** Starts a server on a store, and signs in. @param more additional environment variables of the server */
export async function openSubject(
  { name, launch }: Built,
  size: StoreSize,
  core?: number | string,
  more: Record<string, string> = {}
): Promise<Subject> {
  const ids = findStoreIds(storeFile(size))
  const env = {
    ...launch.env,
    DATA_DIR: storeFolder(size),
    INBOX_PASSWORD: PASSWORD,
    // Retention removes nothing during the measurement, and no request is sampled.
    INBOX_RETENTION_DAYS: '365',
    INBOX_MAX_BYTES: '16GiB',
    TRACES_SAMPLE_RATE: '0',
    // A machine that is busy with other work must not cause refused requests.
    MAX_EVENT_LOOP_DELAY: '0',
    ...more
  }
  const server = await startServer({ name, launch: { ...launch, env } }, core)
  return { server, ids, cookie: await signIn(server.origin) }
}

/** Reads the pageIds from the file before a server opens it. */
function findStoreIds(file: string): StoreIds {
  const db = new DatabaseSync(file, { readOnly: true })
  const pick = <T>(sql: string, ...values: number[]): T => Object.values(db.prepare(sql).get(...values)!)[0] as T
  const issue = pick<number>('SELECT id FROM issue ORDER BY events DESC LIMIT 1')
  const ids = {
    issue,
    event: pick<string>('SELECT event_id FROM event WHERE issue = ? ORDER BY id DESC LIMIT 1', issue),
    trace: pick<string>('SELECT trace_id FROM span WHERE is_segment = 1 ORDER BY id DESC LIMIT 1'),
    route: pick<string>(`SELECT name FROM span WHERE is_segment = 1 AND side = 'server' ORDER BY id DESC LIMIT 1`),
    release: pick<string>('SELECT version FROM release ORDER BY id DESC LIMIT 1')
  }
  db.close()
  return ids
}

/** Milliseconds of CPU per request, with one request at a time. */
async function costOf({ server, cookie }: Subject, path: string, seconds = TURN_SECONDS): Promise<number> {
  const client = new Client(server.origin)
  const headers = { accept: 'text/html', cookie }
  try {
    const before = readCpu(server.pid)
    const end = performance.now() + seconds * 1_000
    let requests = 0
    for (; performance.now() < end; requests++) {
      const { statusCode, body } = await client.request({ path, method: 'GET', headers })
      await body.dump({ limit: Infinity })
      if (statusCode !== 200) throw new Error(`The response of ${path} has status ${statusCode}`)
    }
    return (readCpu(server.pid) - before) / requests
  } finally {
    await client.destroy()
  }
}
