import t from 'tap'
import { judge } from '../../../bench/ratios.ts'
import { createTable, listUnmeasured } from '../../../bench/report.ts'
import type { Target } from '../../../bench/targets.ts'

const scripts = { id: 'scripts', label: 'JavaScript', unit: 'bytes', samples: { floor: [50_000], hull: [70_000] } }
const targets: Target[] = [
  { measurement: 'scripts', of: 'hull', atMost: 72_000 },
  { measurement: 'start', of: 'hull', to: 'next', atMost: 0.6 }
]
const verdicts = judge([scripts], targets)

t.test('createTable', async (t) => {
  const rows = createTable([scripts], ['floor', 'hull'], verdicts).split('\n')
  t.test('compares with the floor', async (t) => {
    t.match(rows[1], /^JavaScript +floor +1\.40$/)
  })
  t.test('shows the quantity if it has a bound', async (t) => {
    t.match(rows[2], /^JavaScript +bytes +70000 +hull <= 72000 +holds$/)
    t.equal(rows.length, 3)
  })
  t.test('shows all bounds of a row', async (t) => {
    const start = { id: 'start', label: 'start', unit: 'ms', samples: { hull: [4], 'hull-no-inbox': [3], next: [10] } }
    const bounds: Target[] = [
      { measurement: 'start', of: 'hull', to: 'next', atMost: 0.4 },
      { measurement: 'start', of: 'hull-no-inbox', to: 'next', atMost: 0.2 }
    ]
    const [, row] = createTable([start], ['floor', 'hull', 'hull-no-inbox', 'next'], judge([start], bounds)).split('\n')
    t.match(row, /hull <= 0.4, hull-no-inbox <= 0.2 +holds, misses$/)
  })
  t.test('shows the quantity if only Hull was measured', async (t) => {
    const growth = { id: 'growth', label: 'growth', unit: 'ms', samples: { 'hull-no-inbox': [3] } }
    const [, row] = createTable([growth], ['floor', 'hull-no-inbox'], []).split('\n')
    t.match(row, /^growth +ms +3\.00$/)
  })
  t.test('compares with the other contenders if the floor was not measured', async (t) => {
    const tunnel = { id: 'tunnel', label: 'an envelope', unit: 'ms', samples: { hull: [1], next: [2] } }
    const [, row, ...more] = createTable([tunnel], ['floor', 'hull', 'next'], []).split('\n')
    t.match(row, /^an envelope +next +0\.50 +1$/)
    t.same(more, [])
  })
})

t.test('listUnmeasured lists bounds that were not measured', async (t) => {
  t.strictSame(listUnmeasured(verdicts), ['start: hull to next <= 0.6'])
  t.strictSame(listUnmeasured(judge([], targets.slice(0, 1))), ['scripts: hull <= 72000'])
})
