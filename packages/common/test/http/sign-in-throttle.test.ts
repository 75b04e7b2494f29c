import t from 'tap'
import { createSignInThrottle } from '../../src/http/sign-in-throttle.ts'

const SECOND = 1_000
const ADA = { address: '203.0.113.1', name: 'Ada' }

function createThrottle() {
  let now = 10_000
  const throttle = createSignInThrottle({ now: () => now })
  return {
    ...throttle,
    pass(milliseconds: number) {
      now += milliseconds
    },
    /** Fails this many times, and waits before each attempt for as long as necessary. */
    failTimes(times: number, attempt = ADA) {
      for (let failed = 0; failed < times;) {
        const wait = throttle.take(attempt)
        if (wait === 0) failed++
        now += wait
      }
    }
  }
}

t.test('a few failures cause no delay, and each further one doubles the delay', async (t) => {
  const { take, pass, failTimes } = createThrottle()
  failTimes(5)
  for (const seconds of [1, 2, 4, 8]) {
    t.equal(take(ADA), 0)
    t.equal(take(ADA), seconds * SECOND, 'a refused attempt does not count')
    t.equal(take(ADA), seconds * SECOND)
    pass(seconds * SECOND)
  }
})

t.test('the delay is at most a quarter of an hour', async (t) => {
  const { failTimes, take } = createThrottle()
  failTimes(40)
  t.equal(take(ADA), 900 * SECOND)
})

t.test('forgets failures after an hour', async (t) => {
  const { failTimes, take, pass } = createThrottle()
  failTimes(9)
  pass(3_601 * SECOND)
  t.equal(take(ADA), 0)
  t.equal(take(ADA), 0)
})

t.test('a sign-in removes the failures under its name, and from the network only its own attempt', async (t) => {
  const { failTimes, take, succeed, pass } = createThrottle()
  const EVE = { ...ADA, name: 'Eve' }
  failTimes(9)
  pass(8 * SECOND)
  t.equal(take(EVE), 0)
  t.equal(take(ADA), 16 * SECOND)
  succeed(EVE)
  t.equal(take(ADA), 0)
  t.equal(take(EVE), 16 * SECOND, 'an attacker with an account gets no further guesses')
})

t.test('a sign-in with a password that all accounts share removes all failures', async (t) => {
  const { failTimes, take, clear } = createThrottle()
  failTimes(9)
  clear(ADA)
  for (let i = 0; i < 5; i++) t.equal(take(ADA), 0)
})

t.test('sign-ins of many people in one network do not delay each other', async (t) => {
  const { take, succeed } = createThrottle()
  for (let i = 0; i < 50; i++) {
    t.equal(take({ ...ADA, name: `person ${i}` }), 0)
    succeed({ ...ADA, name: `person ${i}` })
  }
})

t.test('guesses from many networks delay each other under one name', async (t) => {
  const { take } = createThrottle()
  for (let i = 0; i < 26; i++) take({ address: `198.51.100.${i}`, name: 'ada' })
  t.equal(take({ address: '198.51.100.7', name: 'ADA' }), 32 * SECOND, 'the case of the letters does not matter')
  t.equal(take({ address: '198.51.100.7', name: 'Grace' }), 0)
})

t.test('never refuses the first attempt of a network', async (t) => {
  const { take } = createThrottle()
  for (let i = 0; i < 5_000; i++) take({ address: `10.0.${i >> 8}.${i & 255}`, name: 'Ada' })
  t.equal(take(ADA), 0)
})

t.test('names that look the same count as one name', async (t) => {
  const { take } = createThrottle()
  const names = ['Ada', '\uFF21da', 'A\uFF44a', 'ad\uFF41', 'A\u{1D41D}a']
  for (let i = 0; i < 21; i++) take({ address: `198.51.100.${i}`, name: names[i % names.length]! })
  // This network has an earlier failure.
  t.equal(take({ address: '198.51.100.1', name: 'ADA' }), SECOND)
})
