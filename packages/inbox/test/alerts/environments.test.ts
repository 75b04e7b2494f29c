import t, { type Test } from 'tap'
import { NOON, openAlerts } from '../helpers/alerts.ts'
import { openThresholds, SPIKE } from '../helpers/thresholds.ts'
import { createEnvelope, createRawEvent } from '../helpers/writer.ts'

const MINUTE = 60_000

/** Opens an inbox with a rule for some environments, whose alerts are sent immediately. */
async function openRule(t: Test, environments: string[], kind: 'new' | 'regressed' | 'reopened' = 'new') {
  const alerts = await openAlerts(t)
  const { addChannel, addRule, fail, turn } = alerts
  const channel = await addChannel({ groupMinutes: 0 })
  await addRule(channel, kind, 1, environments)
  return {
    ...alerts,
    channel,
    /** Stores an event of an environment, and runs the alerts. */
    async failIn(environment: string, over: Record<string, unknown> = {}) {
      fail('A', { environment, ...over })
      await turn()
      await turn()
    }
  }
}

t.test('an issue is new to a rule when it first appears in one of the environments', async (t) => {
  const { failIn, titles, receiver } = await openRule(t, ['production'])
  await failIn('staging')
  t.same(titles(), [])
  await failIn('production')
  await failIn('production')
  await failIn('staging')
  t.same(titles(), ['[This application] New issue in production: A: it is broken'])
  t.match(receiver.requests[0]!.message.changes, [{ kind: 'new', environment: 'production' }])
})

t.test('an issue that two environments of a rule have is one message', async (t) => {
  const { failIn, titles } = await openRule(t, ['production', 'staging'])
  await failIn('test')
  await failIn('staging')
  await failIn('production')
  t.same(titles(), ['[This application] New issue in staging: A: it is broken'])
})

t.test('an issue that appears in two environments at once is one message for each rule', async (t) => {
  const { writer, turn, titles, addRule, addChannel } = await openRule(t, ['production'])
  await addRule(await addChannel({ groupMinutes: 0, name: 'Staging' }), 'new', 1, ['staging'])
  await addRule(await addChannel({ groupMinutes: 0, name: 'All' }))
  const events = ['staging', 'production', 'staging'].map((environment) =>
    createRawEvent({ timestamp: NOON / 1_000, environment, exception: { values: [{ type: 'A', value: 'b' }] } })
  )
  writer.ingest(events.map((event) => createEnvelope([['event', event]], { receivedAt: NOON })))
  await turn()
  await turn()
  t.same(titles().sort(), [
    '[This application] New issue in production: A: b',
    '[This application] New issue in staging: A: b',
    '[This application] New issue: A: b'
  ])
})

t.test('a rule of all environments does not name an issue again in another one', async (t) => {
  const { failIn, titles } = await openRule(t, [])
  await failIn('staging')
  await failIn('production')
  t.same(titles(), ['[This application] New issue: A: it is broken'])
})

t.test('an event without an environment is of no named one', async (t) => {
  const { failIn, titles } = await openRule(t, ['production'])
  await failIn('')
  t.same(titles(), [])
})

t.test('a regression counts in the environment of its event', async (t) => {
  const { failIn, titles, inbox } = await openRule(t, ['production'], 'regressed')
  await failIn('production')
  await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
  await failIn('staging')
  t.same(titles(), [])
  await inbox.changes.resolveIssues({ issues: [{ id: 1 }], who: 1 })
  await failIn('production')
  t.same(titles(), ['[This application] Regressed in production: A: it is broken'])
})

t.test('an issue whose time has ended is back where it has events', async (t) => {
  const { failIn, titles, store, now, turn, tidy, addRule, addChannel } = await openRule(t, ['production'], 'reopened')
  await addRule(await addChannel({ groupMinutes: 0, name: 'Staging' }), 'reopened', 1, ['staging'])
  await failIn('production')
  store.run(`UPDATE issue SET state = 'ignored', ignored_until = ?`, now() + MINUTE)
  await turn(2 * MINUTE)
  tidy()
  await turn()
  await turn()
  t.same(titles(), ['[This application] Back from ignored: A: it is broken'])
})

t.test('a monitor alerts the rules of its environment', async (t) => {
  const { writer, turn, titles, addChannel, addRule, now } = await openAlerts(t)
  await addRule(await addChannel({ groupMinutes: 0 }), 'monitor-failed', 1, ['production'])
  for (const [id, environment] of ['staging', 'production'].entries()) {
    const checkIn = { check_in_id: String(id).repeat(32), monitor_slug: 'export', environment, status: 'error' }
    writer.ingest([createEnvelope([['check_in', checkIn]], { receivedAt: now() })])
  }
  await turn()
  await turn()
  t.same(titles(), ['[This application] Monitor failed: export in production reported an error'])
})

t.test('a rule that is created again gets the new environments', async (t) => {
  const { inbox, addRule, channel, failIn, titles } = await openRule(t, ['staging'])
  await addRule(channel, 'new', 1, ['production', 'canary'])
  t.match(await inbox.queries.listRules(), [{ environments: ['canary', 'production'] }])
  await failIn('staging')
  t.same(titles(), [])
  await t.rejects(addRule(channel, 'new', 1, ['x'.repeat(65)]), { code: 'APP_INBOX_RULE_INVALID' })
  await t.rejects(
    addRule(
      channel,
      'new',
      1,
      Array.from({ length: 21 }, (_, i) => `e${i}`)
    ),
    {
      code: 'APP_INBOX_RULE_INVALID'
    }
  )
})

t.test('a threshold counts the errors of its environment', async (t) => {
  const { watch, fail, check, titles } = await openThresholds(t)
  await watch({ ...SPIKE, minimum: 3, environment: 'production' })
  for (let error = 0; error < 5; error++) fail('A', { environment: 'staging' })
  await check()
  t.same(titles(), [])
  for (let error = 0; error < 3; error++) fail('A', { environment: 'production' })
  await check()
  t.match(titles(), [/^\[This application] Spike in production: 3 errors in the last hour, usually 0\./])
})

t.test('a threshold of one issue has no environment', async (t) => {
  const { watch, fail } = await openThresholds(t)
  fail('A')
  await t.rejects(watch({ ...SPIKE, issue: 1, environment: 'production' }), {
    code: 'APP_INBOX_THRESHOLD_INVALID',
    message: /counted in all environments together/
  })
})
