import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { openForwardProxy } from '@hull/test-helpers/forward-proxy.ts'
import { eventually } from '@hull/test-helpers/patience.ts'
import { postToTarget } from '../../src/alerts/http-target.ts'
import { NOON, openAlerts } from '../helpers/alerts.ts'
import { createEnvelope, createRawEvent } from '../helpers/writer.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const CHANNEL = { groupMinutes: 1, quietFrom: '', quietUntil: '', zone: 'UTC' }

/** Opens an inbox with a channel, and with one message that is due. */
async function openDue(t: Parameters<typeof openAlerts>[0], options: Parameters<typeof openAlerts>[1] = {}) {
  const alerts = await openAlerts(t, options)
  const channel = await alerts.addChannel()
  await alerts.addRule(channel)
  alerts.fail('TypeError')
  await alerts.turn()
  return {
    ...alerts,
    channel,
    log: async () => (await alerts.inbox.queries.listDeliveries({}))[0]!
  }
}

t.test('a receiver verifies the signature with a library of Standard Webhooks', async (t) => {
  const { turn, receiver, inbox, channel, now } = await openDue(t)
  await turn()
  const [{ headers, body, message }] = receiver.requests as [(typeof receiver.requests)[0]]
  const { secret } = await inbox.queries.getChannel({ id: channel })
  const signed = headers as Record<string, string>
  t.equal(signed['webhook-id'], message.id)
  t.equal(signed['webhook-timestamp'], String(Math.floor(now() / 1_000)))
  // `verify` compares the timestamp with the clock of the machine, which is not the clock of the test.
  t.equal(signed['webhook-signature'], new Webhook(secret).sign(message.id, new Date(now()), body))
})

t.test('signature and message have the time of the wall clock, after it was set ahead', async (t) => {
  const { turn, receiver, setAhead, wall, addChannel, addRule, fail } = await openAlerts(t)
  await addRule(await addChannel())
  setAhead(2 * HOUR)
  fail('TypeError')
  await turn()
  await turn()
  const [{ headers, message }] = receiver.requests as [(typeof receiver.requests)[0]]
  t.equal(headers['webhook-timestamp'], String(Math.floor(wall() / 1_000)), 'receivers compare it with their clock')
  t.equal(message.timestamp, new Date(wall()).toISOString())
})

t.test('a message whose target answers 500 is tried for a day, with growing delays, and then dead', async (t) => {
  const { turn, receiver, log, inbox } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(500).end()
  await turn()
  t.match(await log(), { state: 'waiting', attempts: 1, error: 'The target answered 500.' })
  const delays: number[] = []
  let last = NOON
  for (let minutes = 0; minutes < 24 * 60 + 90; minutes++) {
    const before = receiver.requests.length
    await turn(MINUTE)
    if (receiver.requests.length === before) continue
    delays.push(minutes - last)
    last = minutes
  }
  const { state, attempts, id } = await log()
  t.equal(state, 'dead')
  t.ok(attempts > 24 && attempts < 60, `${attempts} attempts`)
  t.ok(delays.at(-1)! > 25, 'at the end at most one attempt in half an hour')
  t.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1, 'each attempt sends the same bytes')
  t.equal(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 1)

  t.test('an admin can send the dead message again', async (t) => {
    receiver.answer = (response) => void response.writeHead(200).end()
    await inbox.changes.retryAlert({ id, now: NOON + 26 * HOUR })
    await turn(HOUR)
    t.match(await log(), { id, state: 'sent', attempts: 1 })
    await t.rejects(inbox.changes.retryAlert({ id, now: NOON }), { code: 'APP_INBOX_DELIVERY_NOT_FOUND' })
  })
})

t.test('a message whose attempts never have a result is dead after a day', async (t) => {
  const { inbox, now, pass, log, turn } = await openDue(t)
  // Simulates processes that are killed while they send.
  const claim = () => inbox.changes.prepareAlerts({ now: now(), wall: now(), checksThresholds: false })
  for (let minutes = 0; minutes < 25 * 60; minutes++) {
    pass(MINUTE)
    await claim()
  }
  t.match(await log(), { state: 'dead', attempts: 24 * 60 + 1, error: /^The inbox ended before/ })
  await inbox.changes.retryAlert({ id: (await log()).id, now: now() })
  await turn()
  t.match(await log(), { state: 'sent', attempts: 1 })
})

t.test('a message that waited while the inbox was down for days is tried once more', async (t) => {
  const { turn, receiver, log } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(500).end()
  await turn()
  await turn(48 * HOUR)
  t.match(await log(), { state: 'dead', attempts: 2, error: 'The target answered 500.' })
})

t.test('a message about a project that was removed is not sent', async (t) => {
  const { turn, receiver, inbox, addChannel, addRule, writer } = await openAlerts(t)
  const { id } = await inbox.changes.createProject({ name: 'Shop' })
  await addRule(await addChannel(), 'new', id)
  writer.ingest([createEnvelope([['event', createRawEvent()]], { project: id })])
  await turn()
  receiver.answer = (response) => void response.writeHead(500).end()
  await turn()
  t.equal(receiver.requests.length, 1)
  await inbox.changes.removeProject({ id })
  await turn(HOUR)
  t.equal(receiver.requests.length, 1)
})

t.test('changes during an outage wait, and are one message after it', async (t) => {
  const { turn, receiver, fail, titles } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(500).end()
  await turn()
  for (const type of ['B', 'C', 'D']) {
    fail(type)
    await turn(10 * MINUTE)
  }
  receiver.answer = (response) => void response.writeHead(200).end()
  const before = receiver.requests.length
  for (let i = 0; i < 70; i++) await turn(MINUTE)
  t.same(titles().slice(before), [
    '[This application] New issue: TypeError: it is broken',
    '[This application] 3 new issues'
  ])
})

t.test('Retry-After of a target is respected', async (t) => {
  const { turn, receiver } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '1800' }).end()
  await turn()
  for (let i = 0; i < 29; i++) await turn(MINUTE)
  t.equal(receiver.requests.length, 1)
  await turn(MINUTE)
  t.equal(receiver.requests.length, 2)
})

t.test('a long Retry-After is respected by a replica whose clock is slightly behind', async (t) => {
  const { turn, receiver, inbox, now } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '7200' }).end()
  await turn()
  const behind = now() - 500
  t.same(await inbox.changes.prepareAlerts({ now: behind, wall: behind, checksThresholds: false }), [])
})

t.test('a waiting message is sent within a minute after the address of its channel was changed', async (t) => {
  const { turn, receiver, inbox, channel, now, titles, fail } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '3600' }).end()
  await turn()
  fail('RangeError')
  receiver.answer = (response) => void response.writeHead(204).end()
  const change = (target: string) =>
    inbox.changes.changeChannel({ ...CHANNEL, id: channel, name: 'Team', target, now: now() })
  await change(receiver.url)
  await turn(2 * MINUTE)
  t.equal(receiver.requests.length, 1, 'another change of the channel keeps Retry-After')
  await change(`${receiver.url}/new`)
  await turn(MINUTE)
  await turn(MINUTE)
  t.same(titles().slice(1), [
    '[This application] New issue: TypeError: it is broken',
    '[This application] New issue: RangeError: it is broken'
  ])

  t.test('a message that is being sent is not sent again', async (t) => {
    const hanging: ServerResponse[] = []
    receiver.answer = (response) => void hanging.push(response)
    fail('SyntaxError')
    await turn(2 * MINUTE)
    const sent = turn()
    await eventually(() => hanging.length === 1)
    await change(receiver.url)
    await turn(30_000)
    hanging[0]!.writeHead(204).end()
    await sent
    await turn(5 * MINUTE)
    t.equal(hanging.length, 1)
  })
})

t.test('waiting messages follow a test message that arrives', async (t) => {
  const { turn, receiver, inbox, channel, now, titles, fail } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '3600' }).end()
  await turn()
  fail('RangeError')
  await turn()
  receiver.answer = (response) => void response.writeHead(204).end()
  await inbox.changes.testChannel({ id: channel, now: now() })
  for (const ms of [1_000, 1_000, MINUTE, MINUTE]) await turn(ms)
  t.same(titles().slice(1), [
    '[This application] Test: alerts of this inbox arrive here',
    '[This application] New issue: TypeError: it is broken',
    '[This application] New issue: RangeError: it is broken'
  ])
})

t.test('waiting messages follow one that failed before and arrives, but not one that arrives at once', async (t) => {
  const { turn, receiver, inbox, channel, addRule, writer } = await openDue(t)
  const failIn = async (name: string) => {
    const { id } = await inbox.changes.createProject({ name })
    await addRule(channel, 'new', id)
    writer.ingest([createEnvelope([['event', createRawEvent()]], { project: id })])
    await turn()
    await turn()
  }
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '3600' }).end()
  await turn()
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end()
  await failIn('Shop')
  receiver.answer = (response) => void response.writeHead(204).end()
  await failIn('Blog')
  await turn()
  t.equal(receiver.requests.length, 3)
  await turn(10 * MINUTE)
  t.equal(receiver.requests.length, 4)
  await turn()
  t.equal(receiver.requests.length, 5)
  t.equal(receiver.requests[4]!.message.id, receiver.requests[0]!.message.id)
})

t.test('Retry-After can be a date', async (t) => {
  const { turn, receiver, log, now } = await openDue(t)
  const date = new Date(Date.now() + 31 * MINUTE).toUTCString()
  receiver.answer = (response) => void response.writeHead(503, { 'retry-after': date }).end()
  await turn()
  t.ok((await log()).next! >= now() + 30 * MINUTE)
})

t.test('a message that failed waits for the end of quiet hours', async (t) => {
  const { addChannel, addRule, fail, turn, receiver } = await openAlerts(t)
  await addRule(await addChannel({ quietFrom: '12:05', quietUntil: '13:00' }))
  fail('TypeError')
  await turn()
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end()
  await turn()
  for (let i = 0; i < 59; i++) await turn(MINUTE)
  t.equal(receiver.requests.length, 1)
  await turn(2 * MINUTE)
  t.equal(receiver.requests.length, 2)
})

t.test('quiet hours for a message that failed are those of the wall clock', async (t) => {
  const { addChannel, addRule, fail, turn, receiver, setAhead } = await openAlerts(t)
  await addRule(await addChannel({ quietFrom: '14:05', quietUntil: '15:00' }))
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '600' }).end()
  fail('TypeError')
  await turn()
  await turn()
  setAhead(2 * HOUR)
  for (let i = 0; i < 59; i++) await turn(MINUTE)
  t.equal(receiver.requests.length, 1)
  await turn(2 * MINUTE)
  t.equal(receiver.requests.length, 2)
})

t.test('a redirect is not followed', async (t) => {
  const { turn, receiver, log } = await openDue(t)
  receiver.answer = (response) => void response.writeHead(302, { location: receiver.url }).end()
  await turn()
  t.equal(receiver.requests.length, 1)
  t.match(await log(), { state: 'waiting', error: /^The target answered 302, a redirect/ })
})

t.test('a response that switches the protocol is a failure', async (t) => {
  const { turn, receiver, log } = await openDue(t)
  receiver.answer = ({ socket }) =>
    void socket!.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
  await turn()
  t.match(await log(), { state: 'waiting', error: 'The target answered 101.' })
})

t.test('a target that does not answer delays no other target', async (t) => {
  const { turn, receiver, addChannel, addRule, fail, log, titles, inbox } = await openDue(t)
  const held: ServerResponse[] = []
  receiver.answer = (response) => void held.push(response)
  const hanging = turn()
  await eventually(() => held.length > 0)
  receiver.answer = (response) => void response.writeHead(204).end()
  await addRule(await addChannel({ name: 'Other' }))
  fail('B')
  await turn()
  await turn()
  t.same(titles().slice(1), ['[This application] New issue: B: it is broken'])

  t.test('the message is sent again after a minute, as if the process had ended', async (t) => {
    await turn(MINUTE)
    t.equal(receiver.requests[2]!.message.id, receiver.requests[0]!.message.id)
    held[0]!.writeHead(500).end()
    await hanging
    t.match((await inbox.queries.listDeliveries({ channel: 1 })).at(-1), { state: 'sent', attempts: 2 })
    t.match(await log(), { state: 'sent' })
  })
})

t.test('private addresses require the setting', async (t) => {
  const { turn, receiver, log } = await openDue(t, { allowPrivate: false })
  await turn()
  t.equal(receiver.requests.length, 0)
  t.match(await log(), { error: /^The address 127\.0\.0\.1 is private.*INBOX_PRIVATE_TARGETS=true/ })
})

t.test('names are checked by the address to which they resolve', async (t) => {
  const { turn, receiver, log, inbox, channel, now } = await openDue(t, { allowPrivate: false })
  const { name, target, zone } = await inbox.queries.getChannel({ id: channel })
  await inbox.changes.changeChannel({
    now: now(),
    id: channel,
    name,
    zone,
    target: target.replace('127.0.0.1', 'localhost'),
    groupMinutes: 1,
    quietFrom: '',
    quietUntil: ''
  })
  await turn()
  t.equal(receiver.requests.length, 0)
  t.match(await log(), { error: /^The address (127\.0\.0\.1|::1) is private/ })
})

t.test('messages are sent through the proxy of the environment, which resolves the names', async (t) => {
  const { requests } = await openForwardProxy(t)
  const post = (target: string) =>
    postToTarget(target, { headers: {}, body: 'x', allowPrivate: false, signal: new AbortController().signal })
  await post('http://hooks.invalid/a')
  await t.rejects(post('https://hooks.invalid/b'))
  t.same(requests, ['POST http://hooks.invalid/a', 'CONNECT hooks.invalid:443'])
  await t.rejects(post('http://10.0.0.7/'), /is private/, 'a private address is refused before the request')
})
