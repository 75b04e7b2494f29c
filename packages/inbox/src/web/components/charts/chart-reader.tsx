import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import { formatZonedHour } from '../shared/format.ts'
import { useZone } from '../shared/use-zone.ts'
import { zoneName } from '../shared/zone.ts'
import './chart-reader.css'

export interface ReadValue {
  name: string
  text: string
}

/** Columns of a chart, and what is read of them. */
interface Reading {
  /** Time of the first column, in milliseconds since the epoch. */
  start: number
  /** Milliseconds from one column to the next. */
  step: number
  count: number
  /** Chosen column; undefined if none is. */
  chosen: number | undefined
  /** Values of the chosen column, or placeholders. */
  values: ReadValue[]
}

interface ChartSliderProps extends Reading {
  onChoose: (column: number | undefined) => void
  /** Content of the slider, such as an axis. */
  children?: ReactNode
}

/** Columns to move per key, as of every slider (ARIA Authoring Practices). */
const KEYS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -6,
  PageUp: 6,
  Home: -1e6,
  End: 1e6
}

/** Returns the chosen column, which is one that the chart still has, and a function that chooses another. */
export function useColumn(count: number) {
  const [column, choose] = useState<number>()
  return [column === undefined ? undefined : Math.min(column, count - 1), choose] as const
}

/** Slider over a chart that chooses a column of it: by pointer, by touch, and by key. */
export function ChartSlider({ start, step, count, chosen, onChoose, values, children }: ChartSliderProps) {
  const zone = useZone()
  const last = count - 1

  function choose({ currentTarget, clientX }: PointerEvent) {
    const { left, width } = currentTarget.getBoundingClientRect()
    onChoose(clamp(Math.floor(((clientX - left) / width) * count), last))
  }

  function move(event: KeyboardEvent) {
    const by = KEYS[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onChoose(clamp((chosen ?? (by < 0 ? last + 1 : last)) + by, last))
  }

  return (
    <div
      className="chart-slider"
      role="slider"
      tabIndex={0}
      aria-label="Time to read values at"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen ?? last}
      aria-valuetext={
        chosen === undefined
          ? 'No time chosen'
          : [formatZonedHour(start + chosen * step, zone), ...values.map(({ name, text }) => `${name}: ${text}`)].join(
              '; '
            )
      }
      onPointerDown={choose}
      onPointerMove={choose}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && onChoose(undefined)}
      onKeyDown={move}
    >
      {children}
      {chosen !== undefined && (
        <svg className="chart-chosen" aria-hidden="true">
          <rect x={`${(chosen / count) * 100}%`} width={`${100 / count}%`} height="100%" />
        </svg>
      )}
    </div>
  )
}

/** Shows the values of the chosen column. The slider says the same to screen readers. */
export function ChartReadout({ start, step, count, chosen, values }: Reading) {
  const at = start + (chosen ?? count - 1) * step
  const zone = useZone()
  return (
    <dl className="chart-readout" aria-hidden="true">
      <div>
        <dt>{chosen === undefined ? `Times in ${zoneName(at, zone)}` : formatZonedHour(at, zone)}</dt>
      </div>
      {values.map(({ name, text }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

const clamp = (column: number, last: number) => Math.min(Math.max(column, 0), last)
