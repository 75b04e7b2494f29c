import { formatValue } from './document.ts'
import type { Measurement } from './measures/measure.ts'
import { NAMES } from './names.ts'
import type { ContenderName } from './options.ts'
import { createStyle } from './palette.ts'
import { findSpread } from './ratios.ts'

/** Pixels. */
const WIDTH = 860
const COLUMNS = 3
const PANEL = { width: WIDTH / COLUMNS, height: 240, left: 70, right: 26, top: 30, bottom: 34 }
const TOP = 50

/** One panel for each kind of growth; `id` is its name in `measures/growth.ts`. */
const KINDS = [
  { id: 'cards', title: 'CPU per request, by cards' },
  { id: 'connections', title: 'CPU per request, by connections' },
  { id: 'pages', title: 'CPU per request, by pages' },
  { id: 'start', title: 'Start, by pages' },
  { id: 'memory', title: 'Memory after the start, by pages' }
]

interface Point {
  /** Number of cards, connections or pages. */
  size: number
  measurement: Measurement
}

/**
 * Draws how costs grow: a panel for each kind of growth, with a line of medians for each contender. Both axes are
 * logarithmic.
 * @returns undefined if growth was not measured
 */
export function createGrowthDrawing(measurements: Measurement[], names: ContenderName[]): string | undefined {
  const panels = KINDS.map(({ id, title }) => ({ title, points: findPoints(measurements, id) })).filter(
    ({ points }) => points.length > 1
  )
  if (panels.length === 0) return undefined
  const shown = names.filter((name) => panels.some(({ points }) => points.some((point) => toMedian(point, name))))
  const height = TOP + Math.ceil(panels.length / COLUMNS) * PANEL.height
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>How costs grow</title>
<style>${createStyle(shown)}</style>
<text x="0" y="16" class="head">Medians, both axes logarithmic</text>
${shown.map(drawLegend).join('\n')}
${panels.map((panel, index) => drawPanel(panel, shown, index)).join('\n')}
</svg>
`
}

function findPoints(measurements: Measurement[], kind: string): Point[] {
  const prefix = `growth ${kind} `
  return measurements
    .filter(({ id }) => id.startsWith(prefix))
    .map((measurement) => ({ size: Number(measurement.id.slice(prefix.length)), measurement }))
}

const toMedian = ({ measurement }: Point, name: ContenderName) => findSpread(measurement, name)?.median

function drawPanel(
  { title, points }: { title: string; points: Point[] },
  names: ContenderName[],
  index: number
): string {
  const medians = points.flatMap((point) => names.flatMap((name) => toMedian(point, name) ?? []))
  // The axis spans at least a factor of four; otherwise noise would look like growth.
  const [low, high] = widen(Math.min(...medians), Math.max(...medians), 4)
  const { width, height, left, right, top, bottom } = PANEL
  const toX = toScale(points[0]!.size, points.at(-1)!.size, left, width - right)
  const toY = toScale(low, high, height - bottom, top)
  const lines = names.flatMap((name) => {
    const places = points.flatMap((point) => {
      const median = toMedian(point, name)
      return median === undefined ? [] : [[toX(point.size).toFixed(1), toY(median).toFixed(1)] as const]
    })
    if (places.length === 0) return []
    const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3.5"/>`).join('')
    return `<g class="${name}"><polyline points="${places.map((place) => place.join()).join(' ')}"/>${dots}</g>`
  })
  const { unit } = points[0]!.measurement
  const axis = [low, Math.sqrt(low * high), high].map((value) => {
    const y = toY(value).toFixed(1)
    return `<line class="tick" x1="${left}" x2="${width - right}" y1="${y}" y2="${y}"/><text x="${left - 6}" y="${Number(y) + 4}" text-anchor="end">${formatValue(value, unit)}</text>`
  })
  const sizes = points.map(
    ({ size }) =>
      `<text x="${toX(size).toFixed(1)}" y="${height - bottom + 20}" text-anchor="middle">${size.toLocaleString('en')}</text>`
  )
  const at = `translate(${(index % COLUMNS) * width} ${TOP + Math.floor(index / COLUMNS) * height})`
  return `<g transform="${at}"><text x="${left}" y="16">${title}</text>${[...axis, ...lines, ...sizes].join('')}</g>`
}

function drawLegend(name: ContenderName, index: number): string {
  const x = 6 + index * (WIDTH / 4)
  return `<g class="${name}"><circle cx="${x}" cy="34" r="5"/><text x="${x + 12}" y="38">${NAMES[name].label}</text></g>`
}

/** Returns a logarithmic scale, which maps values from `low` to `high` onto pixels. */
function toScale(low: number, high: number, from: number, to: number): (value: number) => number {
  return (value) => from + ((to - from) * Math.log(value / low)) / Math.log(high / low)
}

/** Widens a range around its (geometric) middle, so that its ends differ at least by `factor`. */
function widen(low: number, high: number, factor: number): [number, number] {
  const more = Math.max(1, Math.sqrt(factor / (high / low)))
  return [low / more, high * more]
}
