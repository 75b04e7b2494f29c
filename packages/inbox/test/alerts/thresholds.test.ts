import t from 'tap'
import { DAY, HOUR } from '@hull/common/time.ts'
import type { ThresholdSubject } from '../../src/alerts/types.ts'
import { changes } from '../../src/mutations/index.ts'
import { addFigures } from '../../src/store/rollups.ts'
import { createMailServer, NOON } from '../helpers/alerts.ts'
import { CRASH_FREE, LCP, openThresholds, SPIKE } from '../helpers/thresholds.ts'

t.test('a low share of crash-free sessions sends a message, if there are enough sessions', async (t) => {
  const { watch, addSessions, check, run, pass, titles, read, receiver } = await openThresholds(t)
  await watch(CRASH_FREE)
  await check()
  t.match(read(), [{ isPast: undefined, reading: { samples: 0 } }])
  addSessions(50, 10)
  await check()
  t.same(titles(), [], 'too few sessions')
  addSessions(120, 0)
  await check()
  const bound = 'Threshold: below 99 %, of at least 100 sessions'
  t.same(titles(), [`[This application] Crash-free sessions low: 94.44 % of 180 sessions since 11:00 UTC. ${bound}`])
  t.match(receiver.requests[0]!.message.changes, [
    { kind: 'crash-free-low', threshold: { samples: 180, url: 'https://inbox.example/inbox/releases?project=1' } }
  ])
  pass(2 * HOUR)
  await run(15)
  t.equal(titles().length, 1, 'no sessions are no recovery')
  addSessions(500, 1)
  await run(12)
  t.same(titles().slice(1), [
    `[This application] Crash-free sessions recovered: 99.8 % of 501 sessions since 13:00 UTC. ${bound}`
  ])
})

t.test('a threshold of a removed project is no work', async (t) => {
  const { watch, inbox, now } = await openThresholds(t)
  const hasWork = () => inbox.hasAlertWork({ now: now(), checksThresholds: true })
  const { id } = await inbox.changes.createProject({ name: 'Shop' })
  await watch(SPIKE, { project: id })
  t.equal(await hasWork(), true)
  await inbox.changes.removeProject({ id })
  t.equal(await hasWork(), false)
})

t.test('a poor 75th percentile of a vital sends a message; CLS has no unit', async (t) => {
  const { watch, addVisits, check, run, pass, titles, receiver, read } = await openThresholds(t)
  await watch(LCP)
  await watch({ kind: 'vital', vital: 'CLS', bound: 0.1, minimum: 1 })
  const never = await watch({ kind: 'vital', vital: 'INP', bound: 1, minimum: 1 })
  addVisits('lcp', 1_000, 3)
  addVisits('lcp', 4_000, 2)
  addVisits('cls', 0.05, 2)
  await check()
  t.match(titles(), [
    /LCP poor: 75th percentile (3.[89]\d?|4(\.0\d)?) s of 5 samples since 11:00 UTC. Threshold: above 2.5 s, of at least 4 samples/
  ])
  t.match(receiver.requests[0]!.message.changes, [
    { kind: 'vital-poor', threshold: { vital: 'LCP', url: 'https://inbox.example/inbox/vitals?project=1' } }
  ])
  addVisits('cls', 0.3, 9)
  await check()
  t.match(
    titles()[1],
    /CLS poor: 75th percentile 0\.\d+ of 16 samples since 11:00 UTC. Threshold: above 0.1, of/,
    'a visit without a shift counts as 0'
  )
  pass(2 * HOUR)
  addVisits('lcp', 500, 9)
  await run(12)
  t.match(titles().slice(2), [/LCP recovered: 75th percentile \d+ ms of 9 samples since 13:00 UTC/])
  t.match(
    read().find(({ threshold }) => threshold.id === never),
    { isPast: undefined, reading: { samples: 0 } },
    'a vital without samples has no result'
  )
})

t.test('a value that moves around its bound sends one message', async (t) => {
  const { watch, addSessions, check, run, titles, read } = await openThresholds(t)
  await watch(CRASH_FREE)
  for (let time = 0; time < 4; time++) {
    addSessions(100 * 10 ** time, 20 * 10 ** time)
    await check()
    addSessions(9_000 * 10 ** time, 0)
    await run(5)
  }
  t.equal(titles().length, 1)
  t.match(read(), [{ isPast: false, threshold: { firingSince: Number, calmSince: Number } }])
  await run(10)
  t.equal(titles().length, 2)
  t.notMatch(read(), [{ threshold: { firingSince: Number } }])
})

t.test('without tellsEnd, no message is sent at the end', async (t) => {
  const { watch, addErrors, check, run, titles, read } = await openThresholds(t)
  await watch(SPIKE, { tellsEnd: false })
  addErrors(60)
  await check()
  await run(130)
  t.equal(titles().length, 1)
  t.notMatch(read(), [{ threshold: { firingSince: Number } }])
})

t.test('thresholds that are off or removed, or whose channel or project is removed, send nothing', async (t) => {
  const { watch, addErrors, check, titles, inbox, addChannel, fail, read, store } = await openThresholds(t)
  const shop = await inbox.changes.createProject({ name: 'Shop' })
  const channel = await addChannel({ name: 'Gone' })
  const off = await watch(SPIKE)
  await inbox.changes.enableThreshold({ id: off, isEnabled: false })
  await inbox.changes.removeThreshold({ id: await watch(SPIKE) })
  await watch(SPIKE, { channel })
  await inbox.changes.removeChannel({ id: channel })
  await watch({ ...SPIKE, minimum: 1 }, { project: shop.id })
  addFigures(store, [
    { place: { project: shop.id, hour: NOON / HOUR, environment: '', release: 0 }, name: 'errors', quantity: 9 }
  ])
  await inbox.changes.removeProject({ id: shop.id })
  addErrors(60)
  fail('A')
  await check()
  t.same(titles(), [])
  t.equal(read().length, 1)
  await inbox.changes.enableThreshold({ id: off, isEnabled: true })
  await check()
  t.equal(titles().length, 1, 'the threshold fires when it is switched on')
  await inbox.changes.changeThreshold({
    id: off,
    bound: 5,
    minimum: 70,
    channel: read()[0]!.threshold.channel,
    tellsEnd: true
  })
  t.match(read(), [{ isPast: false, threshold: { minimum: 70, firingSince: Number } }])
})

t.test('a clock that is set back repeats no message, and does not delay the end', async (t) => {
  const { watch, addErrors, check, run, pass, titles } = await openThresholds(t)
  await watch(SPIKE)
  addErrors(60)
  await check()
  t.equal(titles().length, 1)
  pass(-3 * HOUR)
  await run(1)
  t.equal(titles().length, 1)
  pass(-DAY)
  await run(12)
  t.equal(titles().length, 2, 'the threshold has ended, because there were no errors at that time')
})

t.test('chats and mails link to the page of the value', async (t) => {
  const { mails, mail } = await createMailServer(t)
  const { watch, addErrors, addVisits, addChannel, run, receiver } = await openThresholds(t, { mail })
  const team = await addChannel({ kind: 'mail', target: 'team@shop.example' })
  await watch(SPIKE, { channel: team })
  await watch(LCP, { channel: team })
  await watch(SPIKE, { channel: await addChannel({ kind: 'slack' }) })
  await watch(SPIKE, { channel: await addChannel({ kind: 'discord' }) })
  addErrors(60)
  addVisits('lcp', 9_000, 5)
  await run(1)
  const bodies = receiver.requests.map(({ body }) => JSON.parse(body) as { text?: string; content?: string })
  t.match(
    bodies.find(({ text }) => text)?.text,
    '<https://inbox.example/inbox/issues?project=1|Spike: 60 errors in the last hour, usually 0.'
  )
  t.match(bodies.find(({ content }) => content)?.content, /^\*\*\\\[This application\\\] Spike\\: 60 errors/)
  const text = mails[0]!.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  t.match(text, /Subject: \[This application\] 1 spike, 1 poor web vital/)
  t.match(text, 'LCP poor: 75th percentile')
  t.match(text, 'https://inbox.example/inbox/vitals?project=1')
  t.match(text, '<a href="https://inbox.example/inbox/issues?project=1">Spike: 60 errors')
})

t.test('refuses invalid values with a stable code', async (t) => {
  const { watch, inbox, addChannel, store } = await openThresholds(t)
  const channel = await addChannel()
  const refused = (subject: object, over = {}) =>
    t.rejects(watch({ ...SPIKE, ...subject } as ThresholdSubject, { channel, ...over }), {
      code: 'APP_INBOX_THRESHOLD_INVALID',
      statusCode: 422
    })
  for (const value of [0, -1, Number.NaN, 1e9, Number.POSITIVE_INFINITY]) {
    await refused({ bound: value })
    await refused({ minimum: value })
    await refused({ ...CRASH_FREE, bound: value })
    await refused({ ...LCP, bound: value })
    await refused({ ...LCP, vital: 'CLS', bound: value })
  }
  await refused({ minimum: 1.5 })
  await refused({ kind: 'weather' })
  await refused({ ...LCP, vital: 'FID' })
  await refused({ issue: 99 })
  await refused({}, { project: 99 })
  await refused({}, { channel: 99 })
  const id = await watch(SPIKE, { channel })
  const change = { id, bound: 5, minimum: 50, channel, tellsEnd: true }
  await t.rejects(inbox.changes.changeThreshold({ ...change, bound: 0 }), { code: 'APP_INBOX_THRESHOLD_INVALID' })
  await t.rejects(inbox.changes.changeThreshold({ ...change, channel: 99 }), { code: 'APP_INBOX_THRESHOLD_INVALID' })
  await t.rejects(inbox.changes.removeThreshold({ id: 99 }), { code: 'APP_INBOX_THRESHOLD_NOT_FOUND' })
  for (let more = 1; more < 200; more++)
    store.transaction(() => changes.createThreshold(store, { ...SPIKE, ...change, project: 1 }))
  await t.rejects(watch(SPIKE, { channel }), { message: /there are at most 200/ })
})
