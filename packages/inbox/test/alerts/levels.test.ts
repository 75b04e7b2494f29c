import t, { type Test } from 'tap'
import type { RuleKind } from '../../src/alerts/types.ts'
import type { Level } from '../../src/store/model.ts'
import type { Inbox } from '../../src/store/inbox.ts'
import { openAlerts } from '../helpers/alerts.ts'
import { createEnvelope } from '../helpers/writer.ts'

const MINUTE = 60_000

/** Opens an inbox with a rule for a level, whose alerts are sent immediately. */
async function openRule(t: Test, level: Level, kind: RuleKind = 'new') {
  const alerts = await openAlerts(t)
  const { addChannel, addRule, fail, turn } = alerts
  const channel = await addChannel({ groupMinutes: 0 })
  await addRule(channel, kind, 1, [], level)
  return {
    ...alerts,
    channel,
    /** Stores an event of a level, and runs the alerts. */
    async failWith(eventLevel: string | undefined, type = 'A') {
      fail(type, eventLevel === undefined ? {} : { level: eventLevel })
      await turn()
      await turn()
    }
  }
}

t.test('a rule alerts of its level and of higher ones', async (t) => {
  const { failWith, titles } = await openRule(t, 'warning')
  for (const level of ['debug', 'info', 'warning', 'error', 'fatal']) await failWith(level, level)
  t.same(titles(), [
    '[This application] New issue: warning: it is broken',
    '[This application] New issue: error: it is broken',
    '[This application] New issue: fatal: it is broken'
  ])
})

t.test('an event without a level is an error', async (t) => {
  const { failWith, titles } = await openRule(t, 'error')
  await failWith(undefined)
  t.same(titles(), ['[This application] New issue: A: it is broken'])
})

t.test('two rules of one change have their own levels', async (t) => {
  const { failWith, titles, addChannel, addRule } = await openRule(t, 'error')
  await addRule(await addChannel({ groupMinutes: 0, name: 'Everything' }), 'new', 1, [], 'debug')
  await failWith('info', 'Info')
  await failWith('error', 'Error')
  t.same(titles().sort(), [
    '[This application] New issue: Error: it is broken',
    '[This application] New issue: Error: it is broken',
    '[This application] New issue: Info: it is broken'
  ])
})

t.test('a regression, and an ignored issue that is back, have the level of the issue', async (t) => {
  for (const [kind, change] of [
    [
      'regressed',
      (id: number, inbox: Pick<Inbox, 'changes'>) => inbox.changes.resolveIssues({ issues: [{ id }], who: 1 })
    ],
    [
      'reopened',
      (id: number, inbox: Pick<Inbox, 'changes'>) => inbox.changes.ignoreIssues({ issues: [{ id }], who: 1, events: 1 })
    ]
  ] as const) {
    t.test(kind, async (t) => {
      const { failWith, titles, inbox } = await openRule(t, 'error', kind)
      for (const level of ['info', 'error']) {
        await failWith(level, level)
        await change(level === 'info' ? 1 : 2, inbox)
        await failWith(level, level)
      }
      t.equal(titles().length, 1)
      t.match(titles()[0], /error: it is broken$/)
    })
  }
})

t.test('an ignored issue whose time has ended has the level of the issue', async (t) => {
  const { failWith, titles, store, now, turn, tidy } = await openRule(t, 'error', 'reopened')
  await failWith('info', 'Info')
  await failWith('error', 'Error')
  store.run(`UPDATE issue SET state = 'ignored', ignored_until = ?`, now() + MINUTE)
  await turn(2 * MINUTE)
  tidy()
  await turn()
  await turn()
  t.same(titles(), ['[This application] Back from ignored: Error: it is broken'])
})

t.test('monitors and feedback have no level', async (t) => {
  const { writer, titles, turn, now, inbox } = await openRule(t, 'fatal', 'monitor-failed')
  t.match(await inbox.queries.listRules(), [{ level: 'debug' }])
  const checkIn = { check_in_id: '1'.repeat(32), monitor_slug: 'export', environment: 'production', status: 'error' }
  writer.ingest([createEnvelope([['check_in', checkIn]], { receivedAt: now() })])
  await turn()
  await turn()
  t.same(titles(), ['[This application] Monitor failed: export in production reported an error'])
})

t.test('a rule that is created again gets the new level', async (t) => {
  const { addRule, channel, failWith, inbox, titles } = await openRule(t, 'fatal')
  await addRule(channel, 'new', 1, [], 'error')
  t.match(await inbox.queries.listRules(), [{ level: 'error' }])
  await failWith('error')
  t.equal(titles().length, 1)
  await t.rejects(addRule(channel, 'new', 1, [], 'loud' as Level), { code: 'APP_INBOX_RULE_INVALID' })
})

t.test('a rule from before levels alerts of all', async (t) => {
  const { store, addChannel, fail, turn, titles } = await openAlerts(t)
  const channel = await addChannel({ groupMinutes: 0 })
  store.run(`INSERT INTO alert_rule (project, channel, kind, created) VALUES (1, ?, 'new', 0)`, channel)
  fail('A', { level: 'debug' })
  await turn()
  await turn()
  t.same(titles(), ['[This application] New issue: A: it is broken'])
})
