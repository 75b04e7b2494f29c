import t from 'tap'
import { addAlertFact } from '../../src/alerts/facts.ts'
import { openAlerts } from '../helpers/alerts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

t.test('a new issue is one message, within three seconds', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel())
  fail('TypeError')
  fail('TypeError')
  await turn()
  await turn()
  await turn()
  t.equal(receiver.requests.length, 1)
  t.match(receiver.requests[0]!.message, {
    type: 'alert',
    title: '[This application] New issue: TypeError: it is broken',
    total: 1,
    counts: { new: 1 },
    project: { id: 1, name: 'This application' },
    changes: [
      { kind: 'new', issue: { id: 1, title: 'TypeError: it is broken', url: 'https://inbox.example/inbox/issues/1' } }
    ]
  })
})

t.test('a resolved issue that regresses, and an ignored one that reopens, are each in one message', async (t) => {
  const { addChannel, addRule, fail, turn, titles, inbox, store, tidy, now } = await openAlerts(t)
  const channel = await addChannel({ groupMinutes: 0 })
  for (const kind of ['regressed', 'reopened'] as const) await addRule(channel, kind)
  fail('A')
  fail('B')
  fail('C')
  const idOf = (type: string) => store.get<{ id: number }>('SELECT id FROM issue WHERE type = ?', type)!.id
  await inbox.changes.resolveIssues({ issues: [{ id: idOf('A') }], who: 1 })
  await inbox.changes.ignoreIssues({ issues: [{ id: idOf('B') }], who: 1, events: 2 })
  store.run(`UPDATE issue SET state = 'ignored', ignored_until = ? WHERE type = 'C'`, now() + MINUTE)
  fail('A')
  fail('A')
  await turn()
  await turn()
  fail('B')
  fail('B')
  await turn()
  await turn()
  await turn(2 * MINUTE)
  tidy()
  await turn()
  await turn()
  t.same(titles(), [
    '[This application] Regressed: A: it is broken',
    '[This application] Back from ignored: B: it is broken',
    '[This application] Back from ignored: C: it is broken'
  ])
})

t.test('an issue that is deleted before its message is sent is not in the message', async (t) => {
  const { addChannel, addRule, fail, pass, turn, receiver, inbox, store } = await openAlerts(t)
  await addRule(await addChannel({ groupMinutes: 0 }))
  const remove = (type: string) => {
    const { id } = store.get<{ id: number }>('SELECT id FROM issue WHERE type = ?', type)!
    return inbox.changes.deleteIssues({ issues: [{ id }], who: 1 })
  }
  fail('A')
  await remove('A')
  for (let i = 0; i < 3; i++) await turn()
  t.equal(receiver.requests.length, 0)
  pass(HOUR)
  fail('B')
  fail('C')
  await remove('B')
  for (let i = 0; i < 3; i++) await turn()
  t.match(receiver.requests[0]!.message, {
    title: '[This application] New issue: C: it is broken',
    total: 1,
    counts: { new: 1 },
    changes: [{ kind: 'new' }]
  })
})

t.test('changes within the window of a channel are one message', async (t) => {
  const { addChannel, addRule, fail, turn, titles, receiver } = await openAlerts(t)
  await addRule(await addChannel({ groupMinutes: 5 }))
  fail('A')
  await turn()
  await turn()
  for (const type of ['B', 'C', 'D']) {
    fail(type)
    await turn(MINUTE)
  }
  t.equal(titles().length, 1)
  await turn(2 * MINUTE)
  t.same(titles().slice(1), ['[This application] 3 new issues'])
  t.same(
    receiver.requests[1]!.message.changes.map(({ issue }) => issue!.title[0]),
    ['B', 'C', 'D']
  )
})

t.test('more than 20 changes within the window of a channel are no flood if they are spread over it', async (t) => {
  const { addChannel, addRule, fail, turn, titles } = await openAlerts(t)
  await addRule(await addChannel({ groupMinutes: 60 }))
  fail('A')
  await turn()
  await turn()
  await turn(30 * MINUTE)
  for (let i = 0; i < 25; i++) {
    fail(`B${i}`)
    await turn(MINUTE)
  }
  await turn(6 * MINUTE)
  t.same(titles().slice(1), ['[This application] 25 new issues'])
})

t.test('10,000 new issues in a minute are one message with their number', async (t) => {
  const { addChannel, addRule, fail, turn, titles, receiver, now, store } = await openAlerts(t)
  await addRule(await addChannel())
  fail('A')
  for (let second = 0; second < 50; second++) {
    // As ingest records them.
    store.transaction(() => {
      for (let i = second === 0 ? 1 : 0; i < 200; i++)
        addAlertFact(store, { project: 1, kind: 'new', subject: 1, at: now() })
    })
    await turn()
  }
  t.same(titles(), [], 'the message waits for the end of the flood')
  await turn(15_000)
  t.same(titles(), ['[This application] 10,000 new issues'])
  t.equal(receiver.requests[0]!.message.changes.length, 10)
  t.equal(store.get<{ rows: number }>('SELECT count(*) AS rows FROM alert_message')!.rows, 1)
})

t.test('no messages are sent in quiet hours, and one is sent when they end', async (t) => {
  const { addChannel, addRule, fail, turn, titles } = await openAlerts(t)
  // It is 13:00 in Berlin.
  await addRule(await addChannel({ quietFrom: '12:30', quietUntil: '13:30', zone: 'Europe/Berlin' }))
  fail('A')
  await turn(29 * MINUTE)
  fail('B')
  await turn(10_000)
  t.same(titles(), [])
  await turn(MINUTE)
  t.same(titles(), ['[This application] 2 new issues'])
})

t.test('quiet hours are those of the wall clock, even after it was set', async (t) => {
  const { addChannel, addRule, fail, turn, titles, setAhead } = await openAlerts(t)
  await addRule(await addChannel({ quietFrom: '13:30', quietUntil: '14:30' }))
  setAhead(2 * HOUR)
  fail('A')
  await turn()
  await turn(10_000)
  t.same(titles(), [], 'it is 14:00')
  await turn(30 * MINUTE)
  t.same(titles(), ['[This application] New issue: A: it is broken'])
})

t.test('a clock that is set back does not delay a waiting message', async (t) => {
  for (const by of [2 * HOUR, 60 * DAY]) {
    const { addChannel, addRule, fail, turn, titles } = await openAlerts(t)
    await addRule(await addChannel({ groupMinutes: 5 }))
    fail('A')
    await turn()
    await turn(-by)
    await turn()
    t.same(titles(), ['[This application] New issue: A: it is broken'], `${by / HOUR} hours`)
  }
})

t.test('a clock that is set back delays a flood by at most its window', async (t) => {
  const { addChannel, addRule, fail, turn, titles, now, store } = await openAlerts(t)
  await addRule(await addChannel())
  fail('A')
  store.transaction(() => {
    for (let i = 1; i < 30; i++) addAlertFact(store, { project: 1, kind: 'new', subject: 1, at: now() })
  })
  await turn()
  await turn(-2 * HOUR)
  await turn(50_000)
  t.same(titles(), [], 'the window begins when the clock is set back')
  await turn(10_000)
  t.same(titles(), ['[This application] 30 new issues'])
})

t.test('a clock that was ahead during quiet hours does not delay a waiting message', async (t) => {
  const { addChannel, addRule, fail, turn, titles } = await openAlerts(t)
  await addRule(await addChannel({ quietFrom: '11:30', quietUntil: '12:30' }))
  fail('A')
  await turn()
  await turn()
  await turn(60 * DAY)
  await turn(-60 * DAY)
  t.same(titles(), [])
  await turn(30 * MINUTE)
  t.same(titles(), ['[This application] New issue: A: it is broken'])
})

t.test('a rule applies to one project, and a removed rule sends nothing', async (t) => {
  const { addChannel, addRule, fail, turn, titles, inbox, store } = await openAlerts(t)
  const shop = await inbox.changes.createProject({ name: 'Shop' })
  const channel = await addChannel({ groupMinutes: 0 })
  await addRule(channel, 'new', shop.id)
  fail('A')
  await turn()
  await turn()
  t.same(titles(), [])
  t.equal(store.get<{ rows: number }>('SELECT count(*) AS rows FROM alert_fact')!.rows, 0, 'no change is recorded')
  await addRule(channel)
  const [, rule] = await inbox.queries.listRules()
  t.match(rule, { projectName: 'Shop', kind: 'new' })
  await inbox.changes.removeRule({ id: (await inbox.queries.listRules())[0]!.id })
  fail('B')
  await turn()
  await turn()
  t.same(titles(), [])
})
