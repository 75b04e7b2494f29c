import type { ReactNode } from 'react'
import type { ReleaseMarker, Series } from '../../../queries/overview/overview-types.ts'
import { Axis } from './lanes-axis.tsx'
import { LaneReader } from './lanes-reader.tsx'
import './lanes.css'

export interface Lane {
  name: string
  /** The lane's main value, in large type. */
  value: ReactNode
  /** Short explanation of the value. */
  note?: ReactNode
  series: Series
  /** Counts are drawn as bars, measurements as a line. */
  kind: 'bars' | 'line'
  /** Value range of the lane's height: from, to. @default 0 and the largest value */
  scale?: readonly [from: number, to: number]
  /** Upper bound of good values, drawn as a line. */
  bound?: number
  format: (point: number) => string
}

/** SVG units per lane. */
const HEIGHT = 100
const STEP = 10

/**
 * Charts above each other on one time axis. Releases are vertical lines through all of them; a row below shows the
 * value of every lane at the selected time.
 */
export function Lanes({ lanes, releases }: { lanes: Lane[]; releases: ReleaseMarker[] }) {
  return (
    <LaneReader
      lanes={lanes}
      rows={
        <ul className="lanes-rows">
          {lanes.map((lane) => (
            <li key={lane.name} className="lane">
              <div className="lane-figure">
                <h2>{lane.name}</h2>
                <p className="lane-value">{lane.value}</p>
                {lane.note && <p className="lane-note">{lane.note}</p>}
              </div>
              <LaneShape lane={lane} />
            </li>
          ))}
        </ul>
      }
      axis={<Axis series={lanes[0]!.series} releases={releases} />}
    />
  )
}

function LaneShape({ lane }: { lane: Lane }) {
  const { series, kind, bound } = lane
  const points = series.points
  const [from, to] = lane.scale ?? [0, Math.max(bound ?? 0, 1e-9, ...points.map((point) => point ?? 0))]
  const toY = (point: number) => HEIGHT - Math.min(Math.max((point - from) / (to - from || 1), 0), 1) * (HEIGHT - 8)
  return (
    <svg
      className={`lane-shape lane-${kind}`}
      viewBox={`0 0 ${points.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describe(lane)}
    >
      {bound !== undefined && <path className="lane-bound" d={`M0 ${round(toY(bound))}h${points.length * STEP}`} />}
      {kind === 'bars' ? (
        <path className="lane-fill" d={drawBars(points, toY)} />
      ) : (
        <path className="lane-line" d={drawLine(points, toY)} />
      )}
    </svg>
  )
}

/** The lane in words. */
function describe({ name, series, format }: Lane): string {
  const known = series.points.filter((point) => point !== null)
  if (known.length === 0) return `${name}: no data`
  return `${name} over time: between ${format(Math.min(...known))} and ${format(Math.max(...known))}, ${format(known.at(-1)!)} at the end`
}

const drawBars = (points: Series['points'], toY: (point: number) => number) =>
  points
    .map((point, i) => {
      if (!point) return ''
      const y = Math.min(round(toY(point)), HEIGHT - 3)
      return `M${i * STEP + 1} ${HEIGHT}V${y}h${STEP - 2}V${HEIGHT}z`
    })
    .join('')

/** Interrupted where there is no data; a single point becomes a short line. */
function drawLine(points: Series['points'], toY: (point: number) => number): string {
  let path = ''
  points.forEach((point, i) => {
    if (point === null) return
    const x = i * STEP + STEP / 2
    const y = round(toY(point))
    if (points[i - 1] == null) path += points[i + 1] == null ? `M${x - 2} ${y}h4` : `M${x} ${y}`
    else path += `L${x} ${y}`
  })
  return path
}

const round = (number: number) => Math.round(number * 100) / 100
