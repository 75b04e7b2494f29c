import t from 'tap'
import { createFlaky } from '../../routes/lab/flaky.ts'

t.test('fails as often as requested, then succeeds', async (t) => {
  let time = 1_000
  const flaky = createFlaky({ now: () => time })
  flaky.attempt('a', 2)
  time += 50
  flaky.attempt('a', 2)
  time += 100.4
  t.same(flaky.attempt('a', 2), [
    { number: 1, status: 503, after: 0 },
    { number: 2, status: 503, after: 50 },
    { number: 3, status: 200, after: 150 }
  ])
})

t.test('counts the attempts of each key separately', async (t) => {
  const flaky = createFlaky()
  t.equal(flaky.attempt('a', 1).at(-1)!.status, 503)
  t.equal(flaky.attempt('b', 1).at(-1)!.status, 503)
  t.equal(flaky.attempt('a', 1).at(-1)!.status, 200)
})

t.test('removes the oldest key when it has too many', async (t) => {
  const flaky = createFlaky({ maxKeys: 2 })
  for (const key of ['a', 'b', 'c']) flaky.attempt(key, 1)
  t.equal(flaky.attempt('b', 1).length, 2)
  t.equal(flaky.attempt('a', 1).length, 1)
})

t.test('lists a limited number of attempts, and continues to count', async (t) => {
  const flaky = createFlaky()
  for (let i = 0; i < 40; i++) flaky.attempt('a', 3)
  const attempts = flaky.attempt('a', 3)
  t.equal(attempts.length, 20)
  t.equal(attempts.at(-1)!.number, 41)
})
