import t from 'tap'
import { findSpread, judge } from '../../../bench/ratios.ts'

const cpu = { id: 'cpu /', label: 'CPU', unit: 'ms', samples: { floor: [1, 2, 4], hull: [3, 2, 6] } }

t.test('findSpread', async (t) => {
  t.test('compares samples that were taken side by side, not their averages', async (t) => {
    t.strictSame(findSpread(cpu, 'hull', 'floor'), { median: 1.5, min: 1, max: 3 })
  })
  t.test('returns the spread of the samples themselves without a baseline', async (t) => {
    t.strictSame(findSpread(cpu, 'hull'), { median: 3, min: 2, max: 6 })
    t.equal(findSpread(cpu, 'next'), undefined)
  })
  t.test('averages the two middle values of an even number of samples', async (t) => {
    t.equal(findSpread({ ...cpu, samples: { floor: [1, 1], hull: [1, 2] } }, 'hull', 'floor')?.median, 1.5)
  })
  t.test('returns undefined if the baseline was not measured', async (t) => {
    t.equal(findSpread(cpu, 'hull', 'next'), undefined)
  })
})

t.test('judge', async (t) => {
  const target = { measurement: 'cpu /', of: 'hull', to: 'floor' } as const
  t.test('accepts a ratio that equals `atMost`', async (t) => {
    t.equal(judge([cpu], [{ ...target, atMost: 1.5 }])[0]?.holds, true)
    t.equal(judge([cpu], [{ ...target, atMost: 1.49 }])[0]?.holds, false)
  })
  t.test('refuses a ratio that equals `below`', async (t) => {
    t.equal(judge([cpu], [{ ...target, below: 1.5 }])[0]?.holds, false)
  })
  t.test('compares an absolute quantity with its bound', async (t) => {
    const absolute = { measurement: 'cpu /', of: 'hull' } as const
    t.equal(judge([cpu], [{ ...absolute, atMost: 3 }])[0]?.holds, true)
    t.equal(judge([cpu], [{ ...absolute, atMost: 2.9 }])[0]?.holds, false)
  })
  t.test('returns no verdict for a ratio that was not measured', async (t) => {
    t.strictSame(judge([cpu], [{ ...target, to: 'next', atMost: 1 }]), [
      { target: { ...target, to: 'next', atMost: 1 } }
    ])
  })
})
