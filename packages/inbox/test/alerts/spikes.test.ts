import t from 'tap'
import { HOUR, MINUTE } from '@hull/common/time.ts'
import { NOON } from '../helpers/alerts.ts'
import { openThresholds, SPIKE } from '../helpers/thresholds.ts'

t.test('a spike sends one message with the usual rate, and one when it ends', async (t) => {
  const { watch, addUsual, addErrors, check, run, titles, receiver, read, inbox } = await openThresholds(t)
  addUsual(10)
  const id = await watch(SPIKE)
  addErrors(40)
  await check()
  t.same(titles(), [], '50 errors are usual, with eight minutes of the hour before')
  t.match(read(), [
    { reading: { value: 50, usual: 10 }, isPast: false, threshold: { id, projectName: 'This application' } }
  ])
  addErrors(20)
  await check()
  const text = 'Spike: 70 errors in the last hour, usually 10. Threshold: more than 5 × the usual rate, and at least 50'
  t.same(titles(), [`[This application] ${text}`])
  t.match(receiver.requests[0]!.message, {
    total: 1,
    counts: { spike: 1 },
    changes: [
      {
        kind: 'spike',
        text,
        threshold: {
          id,
          kind: 'spike',
          bound: 5,
          minimum: 50,
          value: 70,
          samples: 70,
          usual: 10,
          url: 'https://inbox.example/inbox/issues?project=1'
        }
      }
    ]
  })
  addErrors(200)
  await run(10)
  t.equal(titles().length, 1, 'the threshold has already fired')
  await run(120)
  t.same(
    titles().slice(1),
    [
      '[This application] Spike ended: 6 errors in the last hour, usually 10. Threshold: more than 5 × the usual rate, and at least 50'
    ],
    'one message at the end'
  )
  t.match(receiver.requests[1]!.message.counts, { 'spike-ended': 1 })
  t.match((await inbox.queries.listDeliveries({})).length, 2)
})

t.test('a spike sends a message after the clock was set ahead', async (t) => {
  const { watch, addErrors, check, titles, setAhead, wall, receiver } = await openThresholds(t)
  await watch(SPIKE)
  setAhead(3 * HOUR)
  addErrors(60)
  await check()
  t.match(titles(), [/Spike: 60 errors in the last hour/])
  t.match(receiver.requests[0]!.message.changes, [{ at: new RegExp(new Date(wall()).toISOString().slice(0, 14)) }])
})

t.test('the rate includes the part of the previous hour that is less than an hour ago', async (t) => {
  const { watch, addUsual, addErrors, check, pass, titles, read } = await openThresholds(t)
  addUsual(4)
  pass(50 * MINUTE)
  await watch(SPIKE)
  addErrors(45)
  await check()
  t.same(titles(), [], 'below the minimum')
  pass(12 * MINUTE)
  addErrors(30)
  await check()
  t.match(read(), [{ reading: { value: 73 } }], '30 of two minutes, and 58/60 of 45')
  t.match(titles(), [/Spike: 7\d errors in the last hour, usually 4\./])
})

t.test('the usual rate is the average of the hours since the project was created', async (t) => {
  const { store, watch, addUsual, addErrors, read, check, titles } = await openThresholds(t)
  store.run('UPDATE project SET created = ?', NOON - 5 * HOUR)
  await watch({ ...SPIKE, bound: 2 })
  addUsual(30, 3 / 24)
  t.match(read(), [{ reading: { usual: 15 } }], 'two of four complete hours had 30, two had none')
  store.run('UPDATE project SET created = ?', NOON)
  t.match(read(), [{ reading: { usual: 0 } }], 'a new project has none')
  addErrors(30)
  await check()
  t.match(titles(), [/Spike: 60 errors in the last hour, usually 0\./], 'only the minimum applies')
})

t.test('the usual rate leaves out the hours that the retention has deleted', async (t) => {
  const { watch, addUsual, read } = await openThresholds(t, { retentionDays: 3 })
  await watch(SPIKE)
  addUsual(30, 3)
  t.match(read(), [{ reading: { usual: 30 } }])
})

t.test('a spike of one issue ignores other issues', async (t) => {
  const { watch, addErrors, check, titles, receiver, store, read } = await openThresholds(t)
  addErrors(1, 'Known')
  const issue = store.get<{ id: number }>('SELECT id FROM issue')!.id
  await watch({ ...SPIKE, issue })
  addErrors(60, 'Other')
  await check()
  t.same(titles(), [])
  addErrors(59, 'Known')
  await check()
  t.match(titles(), [/Spike of Known: it is broken: 60 events in the last hour, usually 0\./])
  t.match(receiver.requests[0]!.message.changes[0]!.threshold, {
    issue,
    url: `https://inbox.example/inbox/issues/${issue}`
  })
  store.run('DELETE FROM issue WHERE id = ?', issue)
  t.match(read(), [{ threshold: { issue, issueTitle: undefined } }])
})
