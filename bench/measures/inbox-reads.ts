import { DatabaseSync } from 'node:sqlite'
import { queries, scans } from '../../packages/inbox/src/queries/index.ts'
import { SqliteStore } from '../../packages/inbox/src/store/sqlite/sqlite-store.ts'
import type { Query, Store } from '../../packages/inbox/src/store/store.ts'
import { fillStore, removeStore, storeFile, type StoreSize } from '../inbox-stores.ts'
import type { Bench, Measurement } from './measure.ts'

const DAY = 86_400_000

/** How often the queries of a page run in a turn, after as many runs to warm up. */
const TURN = 20

interface Subject {
  store: Store
  /** The issue with the most events. */
  issue: number
}

/** Queries of pages. Those with a search, or over a month, run in a thread of their own. */
const PAGES: { id: string; label: string; toQueries: (subject: Subject, now: number) => Query<unknown>[] }[] = [
  {
    id: 'overview',
    label: 'overview of a day',
    toQueries: ({ store }, now) => [() => queries.getOverview(store, { view: toView(now, 1) })]
  },
  {
    id: 'issues',
    label: 'list of issues',
    toQueries: ({ store }, now) => [() => queries.listIssues(store, { view: toView(now, 14) })]
  },
  { id: 'issue', label: 'issue with an event', toQueries: queryIssue },
  {
    id: 'month',
    label: 'overview of a month',
    toQueries: ({ store }, now) => [() => scans.getOverview(store, { view: toView(now, 30) })]
  },
  {
    id: 'search',
    label: 'search by browser and words',
    toQueries: ({ store }, now) => [
      () => scans.listIssues(store, { view: toView(now, 30), query: 'browser:safari undefined', sort: 'events' })
    ]
  }
]

/** Measures the CPU of the queries of pages on a store with a million events, relative to a store with a thousand. */
export async function measureInboxReads({ options, say }: Bench): Promise<Measurement[]> {
  const now = Date.now()
  say('inbox reads: filling a store with a million events, about a minute')
  const [small, large] = [openSubject('small', now), openSubject('large', now)]
  const samples = new Map<string, number[]>(PAGES.map(({ id }) => [id, []]))
  for (let round = 1; round <= options.rounds; round++) {
    say(`inbox reads, round ${round} of ${options.rounds}`)
    for (const { id, toQueries } of PAGES)
      samples.get(id)!.push(timeCpu(large, toQueries(large, now)) / timeCpu(small, toQueries(small, now)))
  }
  for (const { store } of [small, large]) store.close()
  for (const size of ['small', 'large'] as const) removeStore(size)
  return PAGES.map(({ id, label }) => ({
    id: `reads ${id}`,
    label: `inbox, ${label}: a million events, relative to a thousand`,
    unit: 'times',
    samples: { hull: samples.get(id)! }
  }))
}

function openSubject(size: StoreSize, now: number): Subject {
  fillStore(size, now)
  const store = new SqliteStore(new DatabaseSync(storeFile(size), { readOnly: true }))
  store.db.exec('PRAGMA cache_size = -16384')
  const { issue } = store.get<{ issue: number }>('SELECT id AS issue FROM issue ORDER BY events DESC LIMIT 1')!
  return { store, issue }
}

function queryIssue({ store, issue: id }: Subject, now: number): Query<unknown>[] {
  return [
    () => queries.getIssue(store, { id }),
    () => queries.getIssueSeries(store, { id, view: toView(now, 14) }),
    () => queries.listTags(store, { id }),
    () => queries.listEvents(store, { id }),
    () => queries.getEvent(store, { id })
  ]
}

/** Measures CPU, user and system, in microseconds. */
function timeCpu({ store }: Subject, pageQueries: readonly Query<unknown>[]): number {
  const work = () => pageQueries.forEach((query) => store.runFor(undefined, query))
  for (let time = 0; time < TURN; time++) work()
  const before = process.cpuUsage()
  for (let time = 0; time < TURN; time++) work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const toView = (now: number, days: number) => ({ since: now - days * DAY, until: now })
