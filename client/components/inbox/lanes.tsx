import type { ReactNode } from 'react'
import type { ReleaseMarker, Series } from '../../../lib/inbox/queries/types.ts'
import { toVisibleText } from '../../../lib/common/visible-text.ts'
import { formatDay, formatHour } from './numbers.ts'
import './lanes.css'

export interface Lane {
  name: string
  /** The figure, large. */
  value: ReactNode
  /** A few words about it. */
  note?: ReactNode
  series: Series
  /** A second line in the same lane, drawn dashed. */
  second?: { name: string; series: Series; format: (point: number) => string; full: number }
  /** Counts are bars that stand on the ground; what is measured is a line. */
  kind: 'bars' | 'line'
  /** What the height of the lane stands for: from, to. @default 0 and the largest */
  scale?: readonly [from: number, to: number]
  /** Where good ends: a line across. */
  bound?: number
  format: (point: number) => string
}

/** Units of the drawing for one lane. */
const HEIGHT = 100
const STEP = 10

/** Points past which a pointer no longer finds each of them. */
const MAX_COLUMNS = 100

const HOUR = 3_600_000

/**
 * Figures one above the other, each with its shape, all on one axis of time. Releases are lines through all of them;
 * the column below the pointer tells what every lane was then.
 */
export function Lanes({ lanes, releases }: { lanes: Lane[]; releases: ReleaseMarker[] }) {
  const axis = lanes[0]!.series
  return (
    <div className="lanes">
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
      <Axis series={axis} releases={releases} lanes={lanes} />
    </div>
  )
}

function LaneShape({ lane }: { lane: Lane }) {
  const { series, second, kind, bound } = lane
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
      {second && (
        <path
          className="lane-line lane-second"
          d={drawLine(second.series.points, (point) => toY(from + (point / second.full) * (to - from)))}
        />
      )}
    </svg>
  )
}

/** The times below, the releases above, and a column for each point to rest the pointer on. */
function Axis({ series, releases, lanes }: { series: Series; releases: ReleaseMarker[]; lanes: Lane[] }) {
  const { start, step, points } = series
  const end = start + points.length * step
  const toX = (at: number) => `${round(((at - start) / (end - start)) * 100)}%`
  const shown = releases.filter(({ at }) => at >= start && at < end)
  return (
    <svg
      className="lanes-axis"
      aria-hidden={shown.length === 0 ? true : undefined}
      role="img"
      aria-label={named(shown)}
    >
      {points.length <= MAX_COLUMNS &&
        points.map((_, i) => (
          // oxlint-disable-next-line react/no-array-index-key
          <rect key={i} className="lanes-column" x={toX(start + i * step)} width={`${round(100 / points.length)}%`}>
            <title>{tellAll(lanes, i, start + i * step)}</title>
          </rect>
        ))}
      {toTicks(start, end).map((at) => (
        <g key={at} className="lanes-tick">
          <line x1={toX(at)} x2={toX(at)} y2="100%" />
          <text x={toX(at)} y="100%" dy="-4" dx="4">
            {tickWords(at, end - start)}
          </text>
        </g>
      ))}
      {spread(shown, start, end).map(({ version, at, label, isEnd, fits }) => (
        <g key={version} className={fits === 'wide' ? 'lanes-release lanes-release-wide' : 'lanes-release'}>
          <title>{`Release ${toVisibleText(version)}, ${formatHour(at)} UTC`}</title>
          <line x1={toX(at)} x2={toX(at)} y2="100%" />
          {fits && (
            <text x={toX(at)} y="12" dx={isEnd ? -GAP : GAP} textAnchor={isEnd ? 'end' : 'start'}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

const named = (releases: ReleaseMarker[]) =>
  releases.length === 0
    ? undefined
    : `Releases: ${releases.map(({ version, at }) => `${toVisibleText(version)} at ${formatHour(at)} UTC`).join(', ')}`

/** Pixels between a line and its name, and of a bold letter: somewhat more than most are wide. */
const GAP = 5
const LETTER = 7.6

/** Pixels that a chart has on a phone, and at least where there is room. */
const WIDTHS = { narrow: 340, wide: 720 } as const

/** Of names that would run into each other only the newest is there, on top: more of them in a wide chart. */
function spread(releases: ReleaseMarker[], start: number, end: number) {
  const taken: Record<keyof typeof WIDTHS, [from: number, to: number][]> = { narrow: [], wide: [] }
  return releases
    .toSorted((a, b) => b.at - a.at)
    .slice(0, 40)
    .map((release) => {
      const label = toVisibleText(release.version).slice(0, 16)
      const place = (release.at - start) / (end - start)
      const size = GAP + label.length * LETTER
      const isEnd = place * WIDTHS.narrow + size > WIDTHS.narrow
      const fitsIn = (name: keyof typeof WIDTHS) => {
        const at = place * WIDTHS[name]
        const [from, to] = isEnd ? [at - size, at] : [at, at + size]
        if (taken[name].some((other) => from < other[1] && other[0] < to)) return false
        taken[name].push([from, to])
        return true
      }
      const [narrow, wide] = [fitsIn('narrow'), fitsIn('wide')]
      return { ...release, label, isEnd, fits: narrow && wide ? 'all' : wide ? 'wide' : undefined }
    })
    .toReversed()
}

function toTicks(start: number, end: number): number[] {
  const step = [HOUR / 6, HOUR, 3 * HOUR, 6 * HOUR, 24 * HOUR, 48 * HOUR, 168 * HOUR, 720 * HOUR].find(
    (step) => (end - start) / step <= 8
  )
  if (!step) return []
  const ticks = []
  // the last would run past the edge
  for (let at = Math.ceil(start / step) * step; at < end - (end - start) * 0.08; at += step) ticks.push(at)
  return ticks
}

const tickWords = (at: number, span: number) =>
  span > 48 * HOUR ? formatDay(at).replace(/ \d{4}$/, '') : formatHour(at).slice(-5)

const tellAll = (lanes: Lane[], i: number, at: number) =>
  [
    `${formatHour(at)} UTC`,
    ...lanes.flatMap(({ name, series, format, second }) => [
      `${name}: ${tell(series.points[i], format)}`,
      ...(second ? [`${second.name}: ${tell(second.series.points[i], second.format)}`] : [])
    ])
  ].join('\n')

const tell = (point: number | null | undefined, format: Lane['format']) => (point == null ? '–' : format(point))

/** The shape in words. */
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

/** Broken where nothing is known; a point alone is a short line. */
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
