import t from 'tap'
import { createSignInThrottle } from '../../src/access/sign-in-throttle.ts'

const SECOND = 1_000
const ADA = { network: '203.0.113.1', name: 'Ada' }

function createThrottle() {
  let now = 10_000
  const throttle = createSignInThrottle(() => now)
  return {
    ...throttle,
    pass(milliseconds: number) {
      now += milliseconds
    },
    failTimes(times: number, attempt = ADA) {
      for (let i = 0; i < times; i++) throttle.fail(attempt)
    }
  }
}

t.test('a few failures cost nothing, each further one doubles the delay', async (t) => {
  const { failTimes, waitFor } = createThrottle()
  failTimes(5)
  t.equal(waitFor(ADA), 0)
  for (const seconds of [1, 2, 4, 8]) {
    failTimes(1)
    t.equal(waitFor(ADA), seconds * SECOND)
  }
})

t.test('the delay ends at a quarter of an hour', async (t) => {
  const { failTimes, waitFor } = createThrottle()
  failTimes(500)
  t.equal(waitFor(ADA), 900 * SECOND)
})

t.test('the delay passes, and the failures are forgotten after an hour', async (t) => {
  const { failTimes, waitFor, pass } = createThrottle()
  failTimes(9)
  pass(8 * SECOND)
  t.equal(waitFor(ADA), 0)
  failTimes(1)
  t.equal(waitFor(ADA), 16 * SECOND, 'the next failure still counts from there')
  pass(3_601 * SECOND)
  failTimes(1)
  t.equal(waitFor(ADA), 0)
})

t.test('signing in forgets the failures', async (t) => {
  const { failTimes, waitFor, succeed } = createThrottle()
  failTimes(9)
  succeed(ADA)
  t.equal(waitFor(ADA), 0)
})

t.test('guesses from many networks delay each other under one name', async (t) => {
  const { fail, waitFor } = createThrottle()
  for (let i = 0; i < 26; i++) fail({ network: `198.51.100.${i}`, name: 'ada' })
  t.equal(waitFor({ network: '198.51.100.7', name: 'ADA' }), 32 * SECOND, 'whatever the case of its letters')
  t.equal(waitFor({ network: '198.51.100.7', name: 'Grace' }), 0)
})

t.test('a network that has not failed is never refused', async (t) => {
  const { fail, waitFor } = createThrottle()
  for (let i = 0; i < 5_000; i++) fail({ network: `network ${i}`, name: 'Ada' })
  t.equal(waitFor(ADA), 0)
})
