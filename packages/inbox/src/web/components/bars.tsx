interface BarsProps {
  /** One for each bar; null where nothing is known. */
  points: ReadonlyArray<number | null>
  /** What it shows, in a sentence: the whole of it for whoever does not see it. */
  label: string
  /** The height of a full bar. @default the largest of the points */
  max?: number
  className?: string
}

const STEP = 4
const WIDTH = 3
const HEIGHT = 24

/** A row of bars without axes, as wide and high as its class says. */
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

/** At least so high that it is told from none. */
const toHeight = (point: number, max: number) => Math.max(2, Math.round((point / max) * HEIGHT * 10) / 10)
