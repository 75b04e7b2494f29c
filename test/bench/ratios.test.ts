import t from 'tap'
import { findRatio, judge } from '../../bench/ratios.ts'

const cpu = { id: 'cpu /', label: 'CPU', unit: 'ms', samples: { floor: [1, 2, 4], hull: [3, 2, 6] } }

t.test('findRatio', async (t) => {
  t.test('compares samples taken side by side, not their averages', async (t) => {
    t.strictSame(findRatio(cpu, 'hull', 'floor'), { median: 1.5, min: 1, max: 3 })
  })
  t.test('takes the middle of an even number', async (t) => {
    t.equal(findRatio({ ...cpu, samples: { floor: [1, 1], hull: [1, 2] } }, 'hull', 'floor')?.median, 1.5)
  })
  t.test('says nothing about who was not measured', async (t) => {
    t.equal(findRatio(cpu, 'hull', 'next'), undefined)
  })
})

t.test('judge', async (t) => {
  const target = { measurement: 'cpu /', of: 'hull', to: 'floor' } as const
  t.test('lets a ratio be what it may be at most', async (t) => {
    t.equal(judge([cpu], [{ ...target, atMost: 1.5 }])[0]?.holds, true)
    t.equal(judge([cpu], [{ ...target, atMost: 1.49 }])[0]?.holds, false)
  })
  t.test('refuses what must be below', async (t) => {
    t.equal(judge([cpu], [{ ...target, below: 1.5 }])[0]?.holds, false)
  })
  t.test('gives no verdict on what was not measured', async (t) => {
    t.strictSame(judge([cpu], [{ ...target, to: 'next', atMost: 1 }]), [
      { target: { ...target, to: 'next', atMost: 1 } }
    ])
  })
})
