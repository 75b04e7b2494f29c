import t from 'tap'
import { createSampler, formatRand, TRUSTED_PER_SECOND } from '../../src/tracing/sampling.ts'

/** Creates a sampler with a clock that the test moves. */
function openSampler(rate: number | undefined) {
  let time = 0
  const decide = createSampler({ rate, now: () => time })
  return { decide, pass: (ms: number) => (time += ms) }
}

const yes = { sampled: true, facts: undefined }

t.test('a new trace is sampled as often as the rate says', async (t) => {
  const { decide } = openSampler(0.25)
  let kept = 0
  for (let i = 0; i < 4_000; i++) {
    const { sampled, rand } = decide()
    if (sampled) kept++
    if (sampled !== rand < 0.25) t.fail('the random value does not agree with the decision')
  }
  t.ok(kept > 800 && kept < 1_200, `${kept} of 4000`)
  t.equal(openSampler(0).decide().sampled, false)
  t.equal(openSampler(1).decide().sampled, true)
})

t.test("a parent's negative decision always applies, at any rate", async (t) => {
  const { decide } = openSampler(1)
  for (let i = 0; i < 100; i++) t.equal(decide({ sampled: false, facts: { sample_rand: '0' } }).sampled, false)
})

t.test("follows a parent's positive decision ten times per second, and decides itself above that", async (t) => {
  const { decide, pass } = openSampler(0)
  const countSampled = (times: number) =>
    Array.from({ length: times }, () => decide(yes)).filter(({ sampled }) => sampled).length
  t.equal(countSampled(25), TRUSTED_PER_SECOND)
  pass(999)
  t.equal(countSampled(1), 0)
  pass(1)
  t.equal(countSampled(25), TRUSTED_PER_SECOND)
  t.match(decide(yes), { sampled: false, replaced: true })
})

t.test('the same limit of ten applies to a parent that sends the random value', async (t) => {
  const { decide } = openSampler(0.000001)
  const parent = { sampled: undefined, facts: { sample_rand: '0' } }
  const kept = Array.from({ length: 200 }, () => decide(parent)).filter(({ sampled }) => sampled).length
  t.equal(kept, TRUSTED_PER_SECOND)
})

t.test("passes on the first service's random value, or creates one that agrees with the decision", async (t) => {
  const { decide } = openSampler(0.5)
  t.match(decide({ sampled: undefined, facts: { sample_rand: '0.7' } }), { sampled: false, rand: 0.7, replaced: false })
  t.match(decide({ sampled: true, facts: { sample_rand: '0.9' } }), { sampled: true, rand: 0.9 })
  for (let i = 0; i < 50; i++) {
    t.ok(decide({ sampled: false, facts: { sample_rate: '0.3' } }).rand >= 0.3 - 1e-6)
  }
  t.ok(decide({ sampled: true, facts: { sample_rate: '0.3' } }).rand < 0.3)
  for (const sample_rand of ['1', '2', '-1', 'NaN', '', '0x1', 'Infinity'])
    t.ok(decide({ sampled: false, facts: { sample_rand } }).rand < 1, sample_rand)
})

t.test('makes no decision without a recorder, and passes on an existing decision', async (t) => {
  const { decide } = openSampler(undefined)
  t.equal(decide().sampled, undefined)
  t.equal(decide({ sampled: false, facts: undefined }).sampled, false)
  const decisions = Array.from({ length: 11 }, () => decide(yes).sampled)
  t.same(decisions, [...Array.from({ length: TRUSTED_PER_SECOND }, () => true), undefined])
})

t.test('writes the random value with six digits', async (t) => {
  t.same([0, 0.5, 0.000001, 0.999999, 0.1].map(formatRand), [
    '0.000000',
    '0.500000',
    '0.000001',
    '0.999999',
    '0.100000'
  ])
})
