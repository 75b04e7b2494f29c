import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import t from 'tap'
import { hasAlertWork } from '../../src/alerts/work.ts'
import { queries, type Queries } from '../../src/queries/index.ts'
import type { Inbox } from '../../src/store/inbox.ts'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Row, Store } from '../../src/store/store.ts'
import { createFolder } from '@hull/test-helpers/folder.ts'
import { openSeedStore } from '../../src/seed/index.ts'
import { seedInbox } from '../helpers/seed-inbox.ts'
import { DAY } from '@hull/common/time.ts'

/*
 * A query on the main thread must not cost more when the store holds more data. Durations show that only on an idle
 * machine; the number of pages that SQLite reads, and its query plans, show it on every machine.
 */

const now = Date.now()
const view = { since: now - DAY, until: now }
/** Enough rows to fill every list. */
const LITTLE = { events: 2_000, issues: 500, now }
const MUCH = { events: 20_000, issues: 5_000, now }

/**
 * Tables that may be scanned: another statement bounds their size, people create their rows by hand, or the statement
 * only asks whether there is a row.
 */
const SMALL =
  /^(?:CONSTANT ROW|wanted|c|found|listed|json_each|project|monitor|alert_(?:channel|rule|threshold|draft|fact)|person|person_session|invitation|api_token|saved_search|pragma_\w+|\(subquery-\d+\))$/

/** Every main thread query (the types guarantee completeness), for the issue with the most events. */
/** The queries of the main thread, and the one that the thread that writes answers each second. */
const QUICK = { ...queries, hasAlertWork }

type Input<Name extends keyof typeof QUICK> = Parameters<(Queries & Pick<Inbox, 'hasAlertWork'>)[Name]>[0]

const inputsOf = (issue: number): { [Name in keyof typeof QUICK]: Input<Name>[] } => ({
  findInvitation: [{ hash: 'x' }],
  findMerged: [{ id: issue }],
  findUnsubscribed: [{ id: 1, token: 'x' }],
  findOwnMail: [{ person: 1 }],
  findPassword: [{ name: 'Ada' }],
  findProjects: [{ issues: [issue], activities: [1] }],
  findPersonSession: [{ hash: 'x' }],
  findToken: [{ hash: 'x' }],
  getAttachment: [{ id: 1 }],
  getChunk: [{ sha1: 'x' }],
  getChannel: [{ id: 1 }],
  getEvent: [{ id: issue }],
  findEvent: [{ id: issue }],
  getIssue: [{ id: issue }],
  getIssueSeries: [{ id: issue, view: { since: now - 30 * DAY, until: now } }],
  getMonitor: [{ id: 1 }],
  getOverview: [{ view }, { view: { ...view, environment: 'production', release: '1.29.0' } }],
  getTrace: [{ traceId: 'f'.repeat(32) }],
  getPreviousRelease: [{ version: '1.29.0' }],
  getRelease: [{ version: '1.29.0' }],
  getRepository: [{ project: 1, release: '1.29.0' }],
  hasAlertWork: [{ now, checksThresholds: true }],
  hasPasswords: [undefined],
  isFollowing: [{ issue, person: 1 }],
  listAssignees: [{}, { project: 1 }],
  listAudit: [{}, { before: 100 }],
  listCheckIns: [{ monitor: 1 }],
  listChannels: [undefined],
  listChunks: [{ sha1s: ['x'] }],
  listComments: [{ id: issue }, { id: issue, limit: 10 }],
  listDeploys: [{ version: '1.29.0' }],
  listDeliveries: [{}, { channel: 1 }],
  listRules: [undefined],
  getChoices: [{}, { project: 1 }],
  listEvents: [{ id: issue }, { id: issue, limit: 100 }],
  listFeedback: [{ view }, { view: { ...view, project: 1 }, limit: 20 }],
  listInvitations: [undefined],
  listIssues: [{ view }, { view, query: '' }, { view: { ...view, project: 1 }, query: 'is:resolved -is:ignored' }],
  listMonitors: [{}, { project: 1, environment: 'production' }],
  listPeople: [undefined],
  listPersonSessions: [{ person: 1 }],
  listProjects: [undefined],
  listReleases: [{ view }],
  listSavedSearches: [{ person: 1 }],
  listSuggestions: [
    ...['rel', 'release:1', 'env:', 'tag:', 'tag:route=', 'browser:', 'url:/', 'user:', 'user:1'].flatMap((text) => [
      { text },
      { text, project: 1 },
      { text, issue }
    ]),
    { text: 'a', isLogs: true },
    { text: 'path=', isLogs: true }
  ],
  listTags: [{ id: issue }],
  listTokens: [undefined],
  locate: [{ text: '#1' }, { text: 'e'.repeat(32) }, { text: '0AB1CD2EF3GH' }]
})

/** Records the SQL statements of queries. */
class WatchedStore extends SqliteStore {
  readonly asked = new Set<string>()

  override all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    this.asked.add(sql)
    return super.all<T>(sql, ...values)
  }

  override get<T = Row>(sql: string, ...values: SQLInputValue[]): T | undefined {
    this.asked.add(sql)
    return super.get<T>(sql, ...values)
  }
}

function openSeeded(name: string, options: { events: number; issues: number; now: number }) {
  const file = join(folder, `${name}.db`)
  const seeded = openSeedStore(file)
  seedInbox(seeded, options)
  seeded.close()
  const store = new WatchedStore(new DatabaseSync(file, { readOnly: true }))
  // With a page cache of one page, SQLite reads nearly every page from the file again.
  store.db.exec('PRAGMA cache_size = 1')
  t.teardown(() => store.close())
  const { issue } = store.get<{ issue: number }>('SELECT id AS issue FROM issue ORDER BY events DESC LIMIT 1')!
  return { store, inputs: inputsOf(issue) }
}

function ask(store: Store, name: keyof typeof QUICK, input: unknown): void {
  try {
    ;(QUICK[name] as (store: Store, input: unknown) => unknown)(store, input)
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error
  }
}

const folder = createFolder(t)
const [little, much] = [openSeeded('little', LITTLE), openSeeded('much', MUCH)]
const names = Object.keys(QUICK) as (keyof typeof QUICK)[]

t.test('quick queries find rows with an index', async (t) => {
  for (const name of names) {
    const { store, inputs } = much
    store.asked.clear()
    for (const input of inputs[name]) ask(store, name, input)
    for (const sql of store.asked) {
      const plan = store.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
      for (const { detail } of plan) {
        const scanned = /^SCAN (\([^)]+\)|CONSTANT ROW|\w+)/.exec(detail)?.[1]
        if (scanned !== undefined && !SMALL.test(scanned)) t.fail(`${name}: ${detail} of ${sql}`, { plan })
      }
    }
  }
  t.pass('no query scans a large table')
})

t.test('ten times the events need no more pages', { skip: isCounted() ? false : 'needs /proc/self/io' }, async (t) => {
  for (const name of names)
    for (const [index, input] of much.inputs[name].entries()) {
      const before = readFor(() => ask(little.store, name, little.inputs[name][index]))
      const after = readFor(() => ask(much.store, name, input))
      // B-trees are one page higher, and a full page of a list has more rows than one that is not full.
      t.ok(after <= 3 * before + 60, `${name}: ${after} pages, ${before} of a small store`)
    }
})

/** Number of 8 KiB pages that `work` reads. */
function readFor(work: () => void): number {
  const start = readCharacters()
  work()
  return Math.round((readCharacters() - start) / 8_192)
}

function readCharacters(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))![1])
}

function isCounted(): boolean {
  try {
    return readCharacters() > 0
  } catch {
    return false
  }
}
