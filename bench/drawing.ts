import type { Measurement } from './measures/measure.ts'
import { NAMES } from './names.ts'
import type { ContenderName } from './options.ts'
import { createStyle } from './palette.ts'
import { findSpread } from './ratios.ts'

/** Pixels. */
const WIDTH = 860
const LEFT = 130
const RIGHT = 24
const LINE = 10
const GAP = 18
const LEGEND_LINE = 22
const LEGEND_COLUMNS = 4

const TICKS = [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]

/**
 * Draws the CPU per request relative to the floor, on a logarithmic axis: for each page and contender a line from the
 * smallest ratio to the largest, and a point at the median. The drawing follows the reader's colour scheme.
 * @returns undefined if no CPU per request was measured
 */
export function createDrawing(measurements: Measurement[], names: ContenderName[]): string | undefined {
  const others = names.filter((name) => name !== 'floor')
  const groups = measurements
    .filter(({ id, samples }) => id.startsWith('cpu ') && samples.floor)
    .map((measurement) => ({
      label: measurement.id.slice('cpu '.length),
      spreads: others.flatMap((name) => {
        const spread = findSpread(measurement, name, 'floor')
        return spread ? [{ name, ...spread }] : []
      })
    }))
    .filter(({ spreads }) => spreads.length > 0)
  if (groups.length === 0) return undefined

  const all = groups.flatMap(({ spreads }) => spreads)
  const axisStart = TICKS.findLast((tick) => tick <= Math.min(1, ...all.map(({ min }) => min))) ?? TICKS[0]!
  const axisEnd = TICKS.find((tick) => tick >= Math.max(2, ...all.map(({ max }) => max))) ?? TICKS.at(-1)!
  const toX = (ratio: number) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(ratio / axisStart)) / Math.log(axisEnd / axisStart)

  const top = 40 + Math.ceil(others.length / LEGEND_COLUMNS) * LEGEND_LINE
  let y = top
  const drawn = groups.map(({ label, spreads }) => {
    const begin = y
    y += spreads.length * LINE + GAP
    const lines = spreads.map((spread, index) => drawSpread(spread, toX, begin + (index + 0.5) * LINE))
    const middle = begin + (spreads.length * LINE) / 2 + 4
    return `<text x="${LEFT - 14}" y="${middle}" text-anchor="end">${label}</text>${lines.join('')}`
  })
  const axis = TICKS.filter((tick) => tick >= axisStart && tick <= axisEnd).map((tick) =>
    drawTick(tick, toX(tick), top, y)
  )
  const height = y + 24
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>CPU per request, compared with the floor</title>
<style>${createStyle(others)}</style>
<text x="0" y="16" class="head">CPU per request, relative to the floor (logarithmic; smaller is better)</text>
${others.map(drawLegend).join('\n')}
${axis.join('\n')}
${drawn.join('\n')}
</svg>
`
}

function drawSpread(
  spread: { name: ContenderName; median: number; min: number; max: number },
  toX: (ratio: number) => number,
  y: number
) {
  const { name, median, min, max } = spread
  const [from, at, to] = [min, median, max].map((ratio) => toX(ratio).toFixed(1))
  return (
    `<g class="${name}"><title>${NAMES[name].label}: ${median.toFixed(2)}</title>` +
    `<line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/><circle cx="${at}" cy="${y}" r="4"/></g>`
  )
}

function drawTick(tick: number, x: number, top: number, bottom: number): string {
  const at = x.toFixed(1)
  const kind = tick === 1 ? 'one' : 'tick'
  return `<line class="${kind}" x1="${at}" x2="${at}" y1="${top - 8}" y2="${bottom - 8}"/><text x="${at}" y="${bottom + 10}" text-anchor="middle">${tick}</text>`
}

function drawLegend(name: ContenderName, index: number): string {
  const x = 6 + (index % LEGEND_COLUMNS) * (WIDTH / LEGEND_COLUMNS)
  const y = 38 + Math.floor(index / LEGEND_COLUMNS) * LEGEND_LINE
  return `<g class="${name}"><circle cx="${x}" cy="${y - 4}" r="5"/><text x="${x + 12}" y="${y}">${NAMES[name].label}</text></g>`
}
