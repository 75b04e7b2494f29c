import { rateVital, VITAL_BOUNDS, type VitalName } from '../../vitals.ts'
import { toVisibleText } from '@hull/common/visible-text.ts'
import type { VitalTrend } from '../../../queries/performance/performance-types.ts'
import { formatDay } from '../shared/format.ts'
import { useZone } from '../shared/use-zone.ts'
import { formatVital, RATING_WORDS, VITAL_WORDS } from '../vital.ts'

const HEIGHT = 88
const TOP = 8

/** One vital by release, with the bound of good values. */
export function Trend({ vital, trend }: { vital: VitalName; trend: VitalTrend[] }) {
  const zone = useZone()
  const points = trend.flatMap(({ version, at, p75 }) =>
    p75[vital] === undefined ? [] : [{ version, at, value: p75[vital] }]
  )
  const { good, poor } = VITAL_BOUNDS[vital]
  const most = Math.max(good * 1.3, ...points.map(({ value }) => value * 1.1))
  const toX = (i: number) => (points.length === 1 ? 50 : 4 + (i / (points.length - 1)) * 92)
  const toY = (value: number) => Math.round(HEIGHT - (value / most) * (HEIGHT - TOP))
  const last = points.at(-1)
  return (
    <figure className="trend">
      <figcaption>
        <span className="trend-name" title={VITAL_WORDS[vital]}>
          {vital}
        </span>
        <b className={last ? `trend-value trend-${rateVital(vital, last.value)}` : 'quiet'}>
          {last ? formatVital(vital, last.value) : 'none'}
        </b>
      </figcaption>
      {points.length > 0 && (
        <svg className="trend-shape" height={HEIGHT + 22} role="img" aria-label={describe(vital, points)}>
          <line className="trend-ground" x1="0" x2="100%" y1={HEIGHT} y2={HEIGHT} />
          <line className="trend-good" x1="0" x2="100%" y1={toY(good)} y2={toY(good)} />
          <text className="trend-bound" x="100%" y={toY(good) - 3} textAnchor="end">
            {`good up to ${formatVital(vital, good)}`}
          </text>
          {poor < most && <line className="trend-poor" x1="0" x2="100%" y1={toY(poor)} y2={toY(poor)} />}
          {/* The position is the key: releases of several projects may have one version. */}
          {points.slice(1).map(({ value }, i) => (
            <line
              key={toX(i)}
              className="trend-line"
              x1={`${toX(i)}%`}
              y1={toY(points[i]!.value)}
              x2={`${toX(i + 1)}%`}
              y2={toY(value)}
            />
          ))}
          {points.map(({ version, value, at }, i) => (
            <circle
              key={toX(i)}
              className={`trend-point trend-${rateVital(vital, value)}`}
              cx={`${toX(i)}%`}
              cy={toY(value)}
              r={i === points.length - 1 ? 4 : 3}
            >
              <title>{`${toVisibleText(version)}, ${formatDay(at, zone)}: ${formatVital(vital, value)}`}</title>
            </circle>
          ))}
          <text className="trend-release" x="0" y={HEIGHT + 18}>
            {shorten(points[0]!.version)}
          </text>
          {points.length > 1 && (
            <text className="trend-release" x="100%" y={HEIGHT + 18} textAnchor="end">
              {shorten(last!.version)}
            </text>
          )}
        </svg>
      )}
    </figure>
  )
}

const shorten = (version: string) => {
  const text = toVisibleText(version)
  return text.length > 14 ? `${text.slice(0, 13)}…` : text
}

const describe = (vital: VitalName, points: { version: string; value: number }[]) =>
  `${vital} by release: ${points
    .map(
      ({ version, value }) =>
        `${toVisibleText(version)} ${formatVital(vital, value)}, ${RATING_WORDS[rateVital(vital, value)]}`
    )
    .join('; ')}`
