import { ChartReadout, ChartSlider, useColumn, type ReadValue } from './chart-reader.tsx'
import { countOf, formatHour, formatMs, formatZonedHour, withCommas } from '../shared/format.ts'
import { useZone } from '../shared/use-zone.ts'
import { zoneName, type Zone } from '../shared/zone.ts'
import { HOUR } from '@hull/common/time.ts'

interface HeatMapData {
  start: number
  step: number
  low: number
  rows: number[]
  counts: number[][]
}

/** SVG units per cell. */
const CELL = { width: 20, height: 14 }

/** Number of shades. A cell's shade depends on the logarithm of its share of the largest count. */
const SHADES = 6

/** Durations over time, one column per step. A row below shows the values of a column. */
export function HeatMap({ heat }: { heat: HeatMapData }) {
  const { start, step, low, rows, counts } = heat
  const zone = useZone()
  const [chosen, choose] = useColumn(counts.length)
  const most = Math.max(0, ...counts.flat())
  if (most === 0) return <p className="quiet">No data in this time range.</p>
  const height = rows.length * CELL.height
  const toShade = (count: number) => Math.max(1, Math.ceil((Math.log1p(count) / Math.log1p(most)) * SHADES))
  const chart = { start, step, count: counts.length, chosen, values: readColumn(heat, chosen) }
  return (
    <figure className="heat">
      <div className="heat-scale" aria-hidden="true">
        <span>{formatMs(rows.at(-1)!)}</span>
        {rows.length > 2 && <span>{formatMs(rows[(rows.length - 1) >> 1]!)}</span>}
        <span>{formatMs(low)}</span>
      </div>
      <div className="heat-plot">
        <svg
          className="heat-map"
          viewBox={`0 0 ${counts.length * CELL.width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describe(heat, zone)}
        >
          {counts.map((cells, x) =>
            cells.map((count, row) =>
              count === 0 ? null : (
                <rect
                  // oxlint-disable-next-line react/no-array-index-key
                  key={`${x} ${row}`}
                  className={`heat-${toShade(count)}`}
                  x={x * CELL.width + 1}
                  y={height - (row + 1) * CELL.height + 1}
                  width={CELL.width - 2}
                  height={CELL.height - 2}
                />
              )
            )
          )}
        </svg>
        <ChartSlider {...chart} onChoose={choose} />
      </div>
      <div className="heat-times" aria-hidden="true">
        <span>{formatHour(start, zone)}</span>
        <span>{`${step === HOUR ? 'by the hour' : 'by the day'}, ${zoneName(start, zone)}`}</span>
        <span>{formatHour(start + counts.length * step, zone)}</span>
      </div>
      <ChartReadout {...chart} />
    </figure>
  )
}

/** Values of a column: its requests, and how long most of them and the longest took. */
function readColumn({ rows, counts }: HeatMapData, column: number | undefined): ReadValue[] {
  const cells = column === undefined ? [] : counts[column]!
  const all = sum(cells)
  const { most, longest } = all === 0 ? { most: '–', longest: '–' } : readDurations(rows, cells)
  return [
    { name: 'Requests', text: column === undefined ? '–' : withCommas(all) },
    { name: 'Most', text: most },
    { name: 'Longest', text: longest }
  ]
}

/** How long most requests took, and the longest of them. @param counts by row, not all of them 0 */
function readDurations(rows: readonly number[], counts: readonly number[]) {
  const upTo = (row: number) => `up to ${formatMs(rows[row]!)}`
  return {
    most: upTo(counts.indexOf(Math.max(...counts))),
    longest: upTo(counts.findLastIndex((count) => count > 0))
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)

/** The chart in words: number, typical duration, longest duration, and the busiest time. */
function describe({ start, step, rows, counts }: HeatMapData, zone: Zone): string {
  const perRow = rows.map((_, row) => counts.reduce((sum, column) => sum + column[row]!, 0))
  const perColumn = counts.map(sum)
  const { most, longest } = readDurations(rows, perRow)
  const busiest = perColumn.indexOf(Math.max(...perColumn))
  return [
    countOf(sum(perRow), 'request'),
    `most of them took ${most}`,
    `the longest ${longest}`,
    `the most, ${withCommas(perColumn[busiest]!)}, from ${formatZonedHour(start + busiest * step, zone)}`
  ].join('; ')
}
