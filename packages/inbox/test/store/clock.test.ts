import t from 'tap'
import { signInAdmin } from '../../src/mutations/people.ts'
import { createEnvelope, createRawEvent, openWriter } from '../helpers/writer.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR

const event = (receivedAt: number) =>
  createEnvelope([['event', createRawEvent({ timestamp: receivedAt / 1_000 })]], { receivedAt })

/** Creates the clocks of a machine: the wall clock and the monotonic clock. */
function createMachine() {
  let passed = 0
  let set = 0
  return {
    clocks: { now: () => NOW + passed + set, steady: () => passed },
    pass: (ms: number) => void (passed += ms),
    step: (ms: number) => void (set += ms)
  }
}

t.test('a clock that is 60 days ahead for a few minutes deletes nothing', async (t) => {
  const { clocks, pass, step } = createMachine()
  const { writer, store, count, tidy } = openWriter(t, clocks)
  writer.ingest([event(NOW)])
  signInAdmin(store, { name: 'Ada', session: { hash: 'a', at: NOW } })
  tidy()
  step(60 * DAY)
  for (let i = 0; i < 20; i++) {
    pass(60_000)
    tidy()
  }
  t.same([count('event'), count('issue'), count('person_session')], [1, 1, 1])
  step(-60 * DAY)
  pass(60_000)
  tidy()
  t.equal(count('event'), 1)

  t.test('a clock that stays 60 days ahead for hours deletes data', async (t) => {
    step(60 * DAY)
    tidy()
    pass(6 * HOUR)
    tidy()
    t.same([count('event'), count('person_session')], [0, 0])
  })
})

t.test('a start with a clock that is 60 days ahead deletes nothing', async (t) => {
  const { clocks, step, pass } = createMachine()
  const { writer, file, tidy } = openWriter(t, clocks)
  writer.ingest([event(NOW)])
  tidy()
  step(60 * DAY)
  const later = openWriter(t, { ...clocks, file })
  pass(60_000)
  later.tidy()
  t.equal(later.count('event'), 1)
})
