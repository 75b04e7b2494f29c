import t from 'tap'
import { createDocument, formatValue } from '../../../bench/document.ts'
import { createDrawing } from '../../../bench/drawing.ts'
import { createGrowthDrawing } from '../../../bench/growth-drawing.ts'
import type { Measurement } from '../../../bench/measures/measure.ts'
import type { ContenderName } from '../../../bench/options.ts'
import { judge } from '../../../bench/ratios.ts'
import { CIRCUMSTANCES } from './circumstances.ts'

const names: ContenderName[] = ['floor', 'hull', 'next']
const measurements: Measurement[] = [
  { id: 'cpu /', label: 'CPU per request, /', unit: 'ms', samples: { floor: [1, 2], hull: [2, 8], next: [40, 90] } },
  { id: 'memory', label: 'memory', unit: 'bytes', samples: { floor: [60_000_000], hull: [150_400_000] } },
  { id: 'link', label: '<Link>', unit: 'times', samples: { hull: [1.02] } }
]
const verdicts = judge(measurements, [
  { measurement: 'cpu /', of: 'hull', to: 'floor', atMost: 2.5 },
  { measurement: 'memory', of: 'hull', atMost: 190_000_000 },
  { measurement: 'start', of: 'hull', to: 'next', atMost: 0.4 }
])
const document = createDocument({ circumstances: CIRCUMSTANCES, names, measurements, verdicts })
const lines = document.split('\n')

t.test('createDocument', async (t) => {
  t.test('describes the machine and the versions', async (t) => {
    t.ok(lines.includes('| Date, commit | 2026-11-22, abc1234 |'))
    t.ok(lines.includes('| Processor | A processor, 2 cores |'))
    t.ok(lines.includes('| Memory | 8 GiB |'))
    t.ok(lines.includes('| Versions | next 16.4.5 |'))
  })
  t.test('lists ratios to the floor with their spread', async (t) => {
    t.ok(lines.includes('| CPU per request, / | 3.00 (2.00–4.00) | 42.50 (40.00–45.00) |'))
  })
  t.test('lists the quantities of all measurements, also without the floor', async (t) => {
    t.ok(lines.includes('| memory | 60 MB | 150 MB | - |'))
    t.ok(lines.includes('| \\<Link> | - | 1.02 times | - |'))
  })
  t.test('lists only bounds that were measured', async (t) => {
    t.ok(lines.includes('| CPU per request, / | Hull, inbox | Floor | at most 2.50 | 3.00 (2.00–4.00) | **misses** |'))
    t.ok(lines.includes('| memory | Hull, inbox |  | at most 190 MB | 150 MB | holds |'))
    t.notMatch(document, 'at most 0.40')
  })
  t.test('shows the drawing only if CPU was measured', async (t) => {
    t.match(document, '](pictures/performance.svg)')
    t.notMatch(
      createDocument({ circumstances: CIRCUMSTANCES, names, measurements: measurements.slice(1), verdicts: [] }),
      '.svg'
    )
  })
})

t.test('createDrawing', async (t) => {
  const svg = createDrawing(measurements, names)!
  t.test('draws each contender except the floor, for each page', async (t) => {
    t.equal(svg.match(/<circle/g)?.length, 4, 'two in the legend, two on a page')
    t.match(svg, '<title>Hull, inbox: 3.00</title>')
    t.match(svg, '<title>Next: 42.50</title>')
  })
  t.test('has colours for a light and for a dark page', async (t) => {
    t.equal(svg.match(/\.hull circle\{fill:#[0-9a-f]{6}\}/g)?.length, 2)
    t.match(svg, 'prefers-color-scheme:dark')
  })
  t.test('draws all points inside of the picture, larger ratios further right', async (t) => {
    const points = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="4"/g)].map(([, x]) => Number(x))
    const [hull, next] = points as [number, number]
    t.ok(hull < next, `${hull}, ${next}`)
    t.ok(points.every((x) => x > 0 && x < 860))
  })
  t.test('returns undefined if no CPU per request was measured', async (t) => {
    t.equal(createDrawing(measurements.slice(1), names), undefined)
  })
})

t.test('createGrowthDrawing', async (t) => {
  const grown = [1, 10, 100].map((count, index): Measurement => ({
    id: `growth cards ${count}`,
    label: 'CPU',
    unit: 'ms',
    samples: { floor: [count], hull: [(index + 1) * count] }
  }))
  const svg = createGrowthDrawing(grown, names)!
  const lines = [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points]) =>
    points!.split(' ').map((point) => point.split(',').map(Number) as [number, number])
  )
  t.test('draws a line for each measured contender', async (t) => {
    t.equal(lines.length, 2)
    t.notMatch(svg, 'class="next"')
  })
  t.test('draws proportional growth as a straight line', async (t) => {
    const [[x0, y0], [x1, y1], [x2, y2]] = lines[0] as [[number, number], [number, number], [number, number]]
    t.ok(Math.abs((y1 - y0) / (x1 - x0) - (y2 - y1) / (x2 - x1)) < 0.01)
    t.ok(Math.abs(x1 - x0 - (x2 - x1)) < 0.2, 'the axes are logarithmic')
    t.ok(y2 < y0, 'larger values are higher')
  })
  t.test('returns undefined if growth was not measured', async (t) => {
    t.equal(createGrowthDrawing(measurements, names), undefined)
  })
})

t.test('formatValue formats bytes as KB, and rounds to a readable number of digits', async (t) => {
  t.equal(formatValue(71_234, 'bytes of brotli'), '71.2 KB')
  t.equal(formatValue(512, 'bytes'), '512 bytes')
  t.equal(formatValue(0.2251, 'ms'), '0.23 ms')
  t.equal(formatValue(324.4, 'ms'), '324 ms')
})
