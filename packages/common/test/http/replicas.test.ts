import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { eventually } from '@hull/test-helpers/patience.ts'
import { connectReplicas } from '@hull/test-helpers/replicas.ts'
import { createBroadcast } from '../../../shell/src/broadcast/broadcast.ts'
import { createRateLimiter, type RateLimiterOptions } from '../../src/http/rate-limiter.ts'
import { createSignInThrottle } from '../../src/http/sign-in-throttle.ts'

const ADA = { address: '203.0.113.1', name: 'Ada' }

/** Rate limiters of replicas, and the texts that they sent. */
async function createLimiters(t: Test, options: RateLimiterOptions, number?: number) {
  const { broadcasts, sent } = await connectReplicas(t, number)
  const limiters = broadcasts.map((broadcast) =>
    createRateLimiter({ ...options, replicas: { broadcast, name: 'requests' } })
  )
  return { limiters: limiters as [TakeToken, TakeToken], broadcasts, sent }
}

type TakeToken = ReturnType<typeof createRateLimiter>

/** Milliseconds in an hour, in which {@link ONE_AN_HOUR} accepts one request. */
const HOUR = 3_600_000
const ONE_AN_HOUR = { perMinute: 1 / 60 }

/** Takes tokens until one is refused. */
function takeAll(take: TakeToken, key = 'a'): number {
  for (let taken = 0; taken < 1_000; taken++) if (take(key) > 0) return taken
  return Infinity
}

t.test('tokens of a small burst that one replica takes are taken at the others, only for the same key', async (t) => {
  const { limiters, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 1 })
  const [one, two] = limiters
  t.equal(takeAll(one), 1)
  await eventually(() => sent.length === 1)
  t.equal(takeAll(two), 0)
  t.equal(takeAll(two, 'b'), 1)
  await eventually(() => sent.length === 2)
  t.equal(takeAll(one, 'b'), 0)
})

t.test('each further replica lets a key take at most a tenth of its burst more', async (t) => {
  const { limiters, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 200 })
  const [one, two] = limiters
  for (let i = 0; i < 119; i++) one('a')
  // The replica reports 20 tokens at once and 80 a second later. The last 19 are too few for a report.
  await eventually(() => sent.length === 2)
  t.equal(takeAll(two), 100)
  await eventually(() => sent.length === 4)
  t.equal(takeAll(one), 0)
})

t.test('sends few messages, each with as many keys as fit', async (t) => {
  const { limiters, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 200 })
  const [one, two] = limiters
  for (let tokens = 0; tokens < 200; tokens++) for (let key = 0; key < 400; key++) one(`2001:db8:0:${key}`)
  await eventually(() => sent.length === 3)
  for (let key = 0; key < 400; key++) if (two(`2001:db8:0:${key}`) === 0) t.fail(`${key} has tokens`)
  t.ok(sent.every((text) => text.length < 7_900))
  await sleep(1_500)
  t.equal(sent.length, 3, 'sends no message if nothing changed')
})

t.test('does not report a key that is too long for a message', async (t) => {
  const { limiters, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 1 })
  const [one, two] = limiters
  t.equal(takeAll(one, 'é'.repeat(10_000)), 1)
  t.same(sent, [])
  takeAll(one, '"'.repeat(1_500))
  await eventually(() => sent.length === 1)
  t.equal(takeAll(two, '"'.repeat(1_500)), 0)
})

t.test('a bucket is at most one burst below zero', async (t) => {
  const { limiters, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 2 }, 8)
  // Each replica accepts the burst before the messages of the others arrive.
  for (const take of limiters) takeAll(take)
  await eventually(() => sent.length === 16)
  for (const take of limiters) {
    const wait = take('a')
    t.ok(wait > 2.9 * HOUR && wait <= 3 * HOUR, `${wait} ms`)
  }
})

t.test('ignores messages of another version', async (t) => {
  const { limiters, broadcasts, sent } = await createLimiters(t, { ...ONE_AN_HOUR, burst: 1 })
  const [other] = broadcasts
  const throttle = createSignInThrottle({ replicas: { broadcast: broadcasts[1], name: 'sign-in' } })
  const MESSAGES = ['', '{', 'null', '{"a":1}', '1', '[null,1,"a",{}]', '[[]]', '[["a"]]', '[["a","1"]]', '[["a",-1]]']
  const CHANGES = ['[["fail"]]', '[["fail","203.0.113.1",1]]', '[["__proto__","203.0.113.1","ada"]]', '[[1,2,3]]']
  for (const [channel, messages] of [
    ['limit:requests', MESSAGES],
    ['limit:sign-in', [...MESSAGES, ...CHANGES]]
  ] as const) {
    const publish = other.join(channel, { onMessage() {}, onGap() {} })
    for (const message of messages) await publish(message)
  }
  await eventually(() => sent.length >= 2 * MESSAGES.length + CHANGES.length)
  t.equal(sent.length, new Set(sent).size, 'no message is sent twice, as a message that cannot be parsed would be')
  for (const take of limiters) t.equal(takeAll(take), 1)
  for (let i = 0; i < 6; i++) t.equal(throttle.take(ADA), 0)
})

t.test('sends nothing in one process, or without a connection', async (t) => {
  const { broadcasts, sent } = await connectReplicas(t)
  const alone = createBroadcast({ onOutage: t.error, onConnected() {} })
  for (const broadcast of [alone, broadcasts[0]]) {
    await broadcast.close()
    const replicas = { broadcast, name: 'requests' }
    broadcast.join('limit:requests', { onMessage: t.fail, onGap: t.fail })
    t.equal(takeAll(createRateLimiter({ ...ONE_AN_HOUR, burst: 30, replicas })), 30)
    const throttle = createSignInThrottle({ replicas })
    for (let i = 0; i < 6; i++) t.equal(throttle.take(ADA), 0)
    t.ok(throttle.take(ADA) > 0)
  }
  t.same(sent, [])
})

t.test('failures at one replica delay sign-ins at the others', async (t) => {
  const { broadcasts, sent } = await connectReplicas(t)
  /** Milliseconds that the test adds to both clocks. The clocks of two processes have different start times. */
  let passed = 0
  const [one, two] = broadcasts.map((broadcast, index) =>
    createSignInThrottle({ now: () => index * HOUR + passed, replicas: { broadcast, name: 'sign-in' } })
  ) as [SignInThrottle, SignInThrottle]

  let messages = 0
  const arrived = () => eventually(() => sent.length === messages)
  for (const throttle of [one, two, one, two, one, two]) {
    t.equal(throttle.take(ADA), 0)
    messages++
    await arrived()
  }
  t.equal(one.take(ADA), 1_000)
  t.equal(two.take(ADA), 1_000)
  passed += 1_000
  t.equal(two.take(ADA), 0)
  messages++
  await arrived()
  t.equal(one.take(ADA), 2_000)

  two.succeed(ADA)
  messages++
  await arrived()
  t.equal(one.take(ADA), 0, 'a successful sign-in removes one failure of the network')
  messages++
  await arrived()
  t.equal(two.take(ADA), 2_000)

  one.clear(ADA)
  messages++
  await arrived()
  for (let i = 0; i < 5; i++) t.equal(two.take(ADA), 0, 'a sign-in with the shared password removes all failures')
})

t.test('failures under one name at several replicas delay each other', async (t) => {
  const { broadcasts, sent } = await connectReplicas(t)
  const [one, two] = broadcasts.map((broadcast) =>
    createSignInThrottle({ now: () => 0, replicas: { broadcast, name: 'sign-in' } })
  ) as [SignInThrottle, SignInThrottle]
  for (let i = 0; i < 13; i++)
    for (const [index, throttle] of [one, two].entries())
      throttle.take({ ...ADA, address: `198.51.100.${2 * i + index}` })
  await eventually(() => sent.length === 26)
  t.equal(two.take({ address: '198.51.100.0', name: 'ADA' }), 32_000)
  t.equal(two.take({ address: '198.51.100.0', name: 'Grace' }), 0)
})

type SignInThrottle = ReturnType<typeof createSignInThrottle>
