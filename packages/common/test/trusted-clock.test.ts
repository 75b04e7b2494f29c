import t from 'tap'
import { createTrustedClock } from '../src/trusted-clock.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2026, 10, 22)

/** Clocks of a machine, which the test advances and sets. */
function createMachine() {
  let passed = 5_000
  let set = 0
  const jumps: number[] = []
  return {
    jumps,
    clocks: {
      wall: () => START + passed - 5_000 + set,
      steady: () => passed,
      onJump: (jump: number) => void jumps.push(jump)
    },
    pass: (ms: number) => void (passed += ms),
    step: (ms: number) => void (set += ms)
  }
}

t.test('follows the wall clock, including small corrections', async (t) => {
  const { clocks, pass, step, jumps } = createMachine()
  const clock = createTrustedClock(clocks)
  t.equal(clock.now(), START)
  for (let i = 1; i <= 100; i++) {
    pass(HOUR)
    step(50_000)
    t.equal(clock.now(), START + i * (HOUR + 50_000))
  }
  t.same(jumps, [])
})

t.test('ignores a jump ahead, also after the clock is corrected', async (t) => {
  const { clocks, pass, step, jumps } = createMachine()
  const clock = createTrustedClock(clocks)
  step(60 * DAY)
  pass(20_000)
  t.equal(clock.now(), START + 20_000)
  t.equal(clock.jump, 60 * DAY)
  step(-60 * DAY)
  pass(1_000)
  t.equal(clock.now(), START + 21_000)
  t.equal(clock.jump, 0)
  t.same(jumps, [60 * DAY, 0], 'reports a jump once')
})

t.test('accepts a jump of the wall clock after six hours', async (t) => {
  for (const by of [60 * DAY, -2 * HOUR]) {
    const { clocks, pass, step } = createMachine()
    const clock = createTrustedClock(clocks)
    step(by)
    clock.now()
    pass(6 * HOUR - 1)
    t.equal(clock.now(), Math.min(START, START + by) + 6 * HOUR - 1)
    pass(1)
    t.equal(clock.now(), START + by + 6 * HOUR)
    t.equal(clock.jump, 0)
  }
})

t.test('`latest()` advances while the clock is set back, and follows the clock when it is ahead again', async (t) => {
  const { clocks, pass, step } = createMachine()
  const clock = createTrustedClock(clocks)
  step(-2 * HOUR)
  pass(1_000)
  t.same([clock.now(), clock.latest()], [START - 2 * HOUR + 1_000, START + 1_000])
  step(5 * HOUR)
  t.same([clock.now(), clock.latest()], [START + 1_000, START + 3 * HOUR + 1_000])
  pass(6 * HOUR)
  t.same([clock.now(), clock.latest()], [START + 9 * HOUR + 1_000, START + 9 * HOUR + 1_000])
})

t.test('returns whole milliseconds, also while it ignores a jump', async (t) => {
  const { clocks, pass, step } = createMachine()
  const clock = createTrustedClock({ ...clocks, wall: () => Math.floor(clocks.wall()) })
  for (const by of [DAY, -2 * DAY]) {
    step(by)
    pass(1_000.375)
    t.ok(Number.isInteger(clock.now()), `${clock.now()}`)
    t.ok(Number.isInteger(clock.latest()), `${clock.latest()}`)
  }
})

t.test('a second jump starts another six hours', async (t) => {
  const { clocks, pass, step } = createMachine()
  const clock = createTrustedClock(clocks)
  step(DAY)
  clock.now()
  pass(5 * HOUR)
  step(DAY)
  clock.now()
  pass(5 * HOUR)
  t.equal(clock.now(), START + 10 * HOUR)
})

t.test('a start more than a day after the last use is a jump, and a start after a night is not', async (t) => {
  const { clocks } = createMachine()
  t.equal(createTrustedClock({ ...clocks, lastSeen: START - 60 * DAY }).now(), START - 60 * DAY)
  t.equal(createTrustedClock({ ...clocks, lastSeen: START - 12 * HOUR }).now(), START)
})
