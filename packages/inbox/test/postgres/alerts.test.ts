import t from 'tap'
import { getPostgres } from '@hull/test-helpers/services.ts'
import { gatherFacts } from '../../src/alerts/drafts.ts'
import { changes } from '../../src/mutations/index.ts'
import { queries } from '../../src/queries/index.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { createDatabase } from '../helpers/database.ts'

const server = await getPostgres(t)
const store = openPostgres({ url: createDatabase(server.url) })
t.teardown(() => store.close())

t.test('rules name the changes of their levels and environments', async (t) => {
  const channel = store.transaction(() =>
    changes.createChannel(store, {
      kind: 'webhook',
      name: 'Team',
      target: 'https://hooks.example/alerts',
      groupMinutes: 0,
      quietFrom: '',
      quietUntil: '',
      zone: 'UTC'
    })
  )
  const project = 1
  store.run(`INSERT INTO project (id, name, key, created) VALUES (1, 'Shop', 'key', 0)`)
  const rule = { project, channel, environments: ['production'] }
  store.transaction(() => changes.createRule(store, { ...rule, kind: 'new', level: 'error' }))
  store.transaction(() => changes.createRule(store, { ...rule, kind: 'new', level: 'warning' }))
  store.transaction(() => changes.createRule(store, { ...rule, kind: 'monitor-failed', level: 'fatal' }))
  t.match(queries.listRules(store), [
    { kind: 'new', level: 'warning', environments: ['production'] },
    { kind: 'monitor-failed', level: 'debug' }
  ])
  for (const level of ['info', 'warning', 'fatal'])
    store.run(
      `INSERT INTO issue (project, type, value, culprit, level, side, first_seen, last_seen)
       VALUES (1, 'Error', '', '', ?, 'server', 1, 1)`,
      level
    )
  for (const [kind, subject, environment] of [
    ['new', 1, 'production'],
    ['new', 2, 'staging'],
    ['new', 2, 'production'],
    ['new', 3, 'production'],
    // A monitor with the number of an issue.
    ['monitor-failed', 1, 'production']
  ] as const)
    store.run(
      'INSERT INTO alert_fact (project, kind, subject, at, environment) VALUES (1, ?, ?, 1, ?)',
      kind,
      subject,
      environment
    )
  store.transaction(() => gatherFacts(store, 1))
  const { counts, items } = store.get<{ counts: string; items: string }>('SELECT counts, items FROM alert_draft')!
  t.same(JSON.parse(counts), { new: 2, 'monitor-failed': 1 })
  t.match(JSON.parse(items), [{ issue: 2 }, { issue: 3 }, { monitor: 1 }])
})
