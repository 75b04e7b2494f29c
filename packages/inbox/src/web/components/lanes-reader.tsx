import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import type { Lane } from './lanes.tsx'
import { formatHour } from './numbers.ts'
import { useZone } from './use-zone.ts'
import { zoneName } from './zone.ts'

interface LaneReaderProps {
  lanes: Lane[]
  rows: ReactNode
  axis: ReactNode
}

/** Columns to move per key. */
const KEYS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageDown: -6, PageUp: 6, Home: -1e6, End: 1e6 }

/** Lanes with a cursor that shows the values of a point: by pointer, by touch, and by key as a slider. */
export function LaneReader({ lanes, rows, axis }: LaneReaderProps) {
  const [column, setColumn] = useState<number>()
  const zone = useZone()
  const { start, step, points } = lanes[0]!.series
  const last = points.length - 1
  const chosen = column === undefined ? undefined : Math.min(column, last)
  const at = start + (chosen ?? last) * step
  const time = `${formatHour(at, zone)} ${zoneName(at, zone)}`
  const values = lanes.map(({ name, series, format }) => {
    const point = chosen === undefined ? undefined : series.points[chosen]
    return { name, text: point == null ? '–' : format(point) }
  })

  function choose({ currentTarget, clientX }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    setColumn(clamp(Math.floor(((clientX - left) / width) * points.length), last))
  }

  function move(event: KeyboardEvent) {
    const by = KEYS[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    setColumn(clamp((chosen ?? (by < 0 ? last + 1 : last)) + by, last))
  }

  return (
    <div className="lanes-chart">
      <div className="lanes">
        {rows}
        <div
          className="lanes-reader"
          role="slider"
          tabIndex={0}
          aria-label="Time to read values at"
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={
            chosen === undefined
              ? 'No time chosen'
              : [time, ...values.map(({ name, text }) => `${name}: ${text}`)].join('; ')
          }
          onPointerDown={choose}
          onPointerMove={choose}
          onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setColumn(undefined)}
          onKeyDown={move}
        >
          {axis}
          {chosen !== undefined && (
            <svg className="lanes-axis lanes-chosen" aria-hidden="true">
              <rect x={`${(chosen / points.length) * 100}%`} width={`${100 / points.length}%`} height="100%" />
            </svg>
          )}
        </div>
      </div>
      <dl className="lanes-readout" aria-hidden="true">
        <div>
          <dt>{chosen === undefined ? `Times in ${zoneName(at, zone)}` : time}</dt>
        </div>
        {values.map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const clamp = (column: number, last: number) => Math.min(Math.max(column, 0), last)
