import t from 'tap'
import type { Grants } from '../../src/access/roles.ts'
import { queries, scans, type Queries } from '../../src/queries/index.ts'
import { openSeedStore, seedShowcase } from '../../src/seed/index.ts'
import type { Store } from '../../src/store/store.ts'

/*
 * For a person with a role in one project, the other projects do not exist: each query answers as it does on a file
 * that contains only that project.
 */

const now = Date.now()
const view = { since: now - 7 * 86_400_000, until: now }
const GRANTS: Grants = { role: 'none', projects: { 3: 'viewer' } }

const full = openSeedStore()
seedShowcase(full, now)
const bare = openSeedStore()
t.teardown(() => [full, bare].map((store) => store.close()))
for (const store of [full, bare]) {
  store.run('DELETE FROM project WHERE id = 3')
  store.run("INSERT INTO project (id, name, key, created) VALUES (3, 'Mine', 'c', 1)")
}
for (const store of [full, bare]) {
  store.run("UPDATE release SET commit_id = 'c0ffee'")
  store.run("INSERT INTO deploy (release, environment, finished) SELECT id, 'production', 1 FROM release")
}
bare.run('DELETE FROM project WHERE id <> 3')

const pick = (sql: string) => Object.values(full.get<Record<string, never>>(sql)!)[0] as never
const issue = pick('SELECT issue FROM event WHERE digest IS NOT NULL ORDER BY id DESC LIMIT 1')
const traceId = pick('SELECT trace_id FROM span WHERE is_segment = 1 ORDER BY id DESC LIMIT 1')
const logTrace = pick('SELECT trace_id FROM log WHERE trace_id IS NOT NULL LIMIT 1')
const route = pick("SELECT name FROM span WHERE is_segment = 1 AND side = 'server' LIMIT 1")
const version = pick('SELECT version FROM release WHERE project = 1 ORDER BY id DESC LIMIT 1')
const event = pick(`SELECT event_id FROM event WHERE issue = ${String(issue)} LIMIT 1`)
const activity = pick('SELECT id FROM activity LIMIT 1')
full.run(
  "INSERT INTO issue_key (project, key, issue, algorithm, why, created, merged_from) VALUES (1, 'm', 1, 1, '{}', 1, 900)"
)

full.run("INSERT INTO saved_search (project, name, query, sort, created) VALUES (1, 'Fatal', 'level:fatal', 'last', 1)")

/**
 * Queries of settings and sign-ins, which are for admins of all projects or concern only the person; and of unfinished
 * uploads, whose checksums only the sender knows.
 */
type Others =
  | 'getHealth'
  | 'getChunk'
  | 'listChunks'
  | `${'find' | 'list' | 'get' | 'has'}${'Password' | 'Passwords' | 'PersonSession' | 'PersonSessions' | 'Invitation' | 'Invitations' | 'Token' | 'Tokens' | 'People' | 'Audit' | 'Channel' | 'Channels' | 'Rules' | 'Thresholds' | 'Deliveries' | 'AlertWork' | 'Unsubscribed' | 'OwnMail'}`

type Inputs = { [Name in Exclude<keyof Queries, Others>]: Parameters<Queries[Name]>[0][] }

const INPUTS: Inputs = {
  findEvents: [{ id: issue }, { id: issue, query: 'level:error' }],
  findMerged: [{ id: 900 }],
  findProjects: [{ issues: [issue], activities: [activity] }],
  getAttachment: [{ id: 1 }],
  getChoices: [{}, { project: 1 }],
  getEvent: [{ id: issue }, { id: issue, eventId: event }],
  findEvent: [{ id: issue, eventId: event }],
  getHeatMap: [{ view, route, side: 'server' }],
  getIssue: [{ id: issue }],
  getIssueSeries: [{ id: issue, view }],
  getMonitor: [{ id: 1 }],
  getOverview: [{ view }, { view: { ...view, project: 1 } }],
  getPreviousRelease: [{ version }],
  getRelease: [{ version }],
  getRepository: [{ project: 1 }],
  getTrace: [{ traceId }, { traceId: logTrace }],
  isFollowing: [{ issue, person: 1 }],
  listAssignees: [{ project: 1 }],
  listCheckIns: [{ monitor: 1 }],
  listComments: [{ id: issue }],
  listDeploys: [{ version }],
  listEvents: [{ id: issue }],
  listFeedback: [{ view }, { view, query: 'pay' }, { view: { ...view, project: 1 } }],
  listIssues: [
    { view, query: '' },
    { view: { ...view, project: 1 }, query: '' }
  ],
  listLogs: [{ view }, { view, traceId: logTrace }, { view: { ...view, project: 1 } }],
  listMonitors: [{}, { project: 1 }],
  listProjects: [undefined] as never,
  listReleases: [{ view }, { view: { ...view, project: 1 } }],
  listRoutes: [{ view }, { view: { ...view, project: 1 } }],
  listSavedSearches: [{ person: 1 }],
  listSuggestions: [
    ...['release:', 'env:', 'tag:', 'tag:release=', 'browser:', 'url:', 'user:'].flatMap((text) => [
      { text },
      { text, project: 1 },
      { text, issue }
    ]),
    { text: '', isLogs: true }
  ],
  listTags: [{ id: issue }],
  listTraces: [{ view }, { view, route }, { view, sort: 'slowest' }, { view: { ...view, project: 1 } }],
  listVitals: [{ view }],
  listVitalTrend: [{ view }],
  locate: [`#${String(issue)}`, traceId, event, pick('SELECT digest FROM event WHERE digest IS NOT NULL LIMIT 1')].map(
    (text) => ({ text })
  )
}

type Query = (store: Store, input: unknown) => unknown

function answer(store: Store, query: Query, input: unknown, grants?: Grants): unknown {
  try {
    const found = store.runFor(grants, () => query(store, input))
    if (found === undefined) return undefined
    const plain = JSON.parse(JSON.stringify(found))
    // Only people who see all projects see the size of the file.
    delete plain.storage
    return plain
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode !== 404) throw error
    return (error as { code: string }).code
  }
}

for (const [name, inputs] of Object.entries(INPUTS))
  t.test(`${name} reads only the projects that the person can see`, async (t) => {
    for (const table of [queries, scans] as unknown as Record<string, Query>[]) {
      const query = table[name]
      if (!query) continue
      for (const input of inputs) {
        t.same(answer(full, query, input, GRANTS), answer(bare, query, input), JSON.stringify(input))
        t.equal(full.grants, undefined)
      }
      if (name === 'listProjects' || name === 'listVitals') continue
      t.notSame(
        inputs.map((input) => answer(full, query, input)),
        inputs.map((input) => answer(bare, query, input)),
        'without grants, the two files have different results'
      )
    }
  })

t.test('a trace across projects shows only the spans of projects that the person can see', async (t) => {
  full.run(
    `INSERT INTO span (project, trace_id, span_id, is_segment, side, name, op, status, start, duration, environment, attributes, received)
     SELECT 3, trace_id, 'feedfeedfeedfeed', 1, 'server', 'GET /mine', op, status, start + 1, duration, environment, attributes, received
     FROM span WHERE trace_id = ? AND is_segment = 1 LIMIT 1`,
    traceId
  )
  const { traces } = full.runFor(GRANTS, () => queries.getTrace(full, { traceId })).spans.length
    ? full.runFor(GRANTS, () => scans.listTraces(full, { view: { ...view, until: now + 86_400_000 } }))
    : { traces: [] }
  t.match(traces, [{ name: 'GET /mine', traceId }])
  t.same(
    full.runFor(GRANTS, () => queries.getTrace(full, { traceId })).spans.map(({ name }) => name),
    ['GET /mine']
  )
})
