interface BarsProps {
  /** One value per bar; null for no data. */
  points: ReadonlyArray<number | null>
  /** Sentence that describes the chart to people who cannot see it. */
  label: string
  /** Value of a full-height bar. @default the largest of the points */
  max?: number
  className?: string
}

const STEP = 4
const WIDTH = 3
const HEIGHT = 24

/** A row of bars without axes. Its CSS class sets the size. */
export function Bars({
  points,
  label,
  max = Math.max(1, ...points.map((point) => point ?? 0)),
  className = 'bars'
}: BarsProps) {
  return (
    <svg
      className={className}
      viewBox={`0 0 ${points.length * STEP - (STEP - WIDTH)} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className="bars-ground" d={points.map((_, i) => bar(i, 1)).join('')} />
      <path d={points.map((point, i) => (point ? bar(i, toHeight(point, max)) : '')).join('')} />
    </svg>
  )
}

const bar = (i: number, height: number) => `M${i * STEP} ${HEIGHT}v${-height}h${WIDTH}v${height}z`

/** Minimum height, so that a small value differs visibly from none. */
const toHeight = (point: number, max: number) => Math.max(2, Math.round((point / max) * HEIGHT * 10) / 10)
