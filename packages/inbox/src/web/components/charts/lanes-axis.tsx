import type { ReleaseMarker, Series } from '../../../queries/overview/overview-types.ts'
import { toVisibleText } from '@hull/common/visible-text.ts'
import { formatClock, formatDay, formatZonedHour } from '../shared/format.ts'
import { useZone } from '../shared/use-zone.ts'
import { fromClock, toClock, type Zone } from '../shared/zone.ts'
import { HOUR } from '@hull/common/time.ts'

/** Start and end of the tick of a release without a label, in pixels above the labels. */
const RELEASE_TICK = [-5, 2] as const

/** Times below and releases above, on one axis through all lanes. */
export function Axis({ series, releases }: { series: Series; releases: ReleaseMarker[] }) {
  const zone = useZone()
  const { start, step, points } = series
  const end = start + points.length * step
  const toX = (at: number) => `${Math.round(((at - start) / (end - start)) * 10_000) / 100}%`
  const shown = toUnique(releases.filter(({ at }) => at >= start && at < end))
  const markers = spread(shown, start, end)
  const ticks = toTicks(start, end, zone)
  return (
    <svg
      className="lanes-axis"
      aria-hidden={shown.length === 0 ? true : undefined}
      role="img"
      aria-label={describe(shown, zone)}
    >
      {ticks.map((at) => (
        <line key={at} className="lanes-tick" x1={toX(at)} x2={toX(at)} y2="100%" />
      ))}
      {/* all lines before all labels, so that no line crosses a label */}
      {markers.map(({ version, at, fits }) => (
        <g key={keyOf({ version, at })} className="lanes-release">
          <title>{`Release ${toVisibleText(version)}, ${formatZonedHour(at, zone)}`}</title>
          <line x1={toX(at)} x2={toX(at)} y1={fits ? 0 : RELEASE_TICK[0]} y2={fits ? '100%' : RELEASE_TICK[1]} />
        </g>
      ))}
      {ticks.map((at) => (
        <text key={at} x={toX(at)} y="100%" dy="-4" dx="4">
          {tickWords(at, end - start, zone)}
        </text>
      ))}
      {markers.map(
        ({ version, at, label, isEnd, fits }) =>
          fits && (
            <g
              key={keyOf({ version, at })}
              className={fits === 'wide' ? 'lanes-release lanes-release-wide' : 'lanes-release'}
            >
              <text x={toX(at)} y="12" dx={isEnd ? -GAP : GAP} textAnchor={isEnd ? 'end' : 'start'}>
                {label}
              </text>
            </g>
          )
      )}
    </svg>
  )
}

const keyOf = ({ version, at }: ReleaseMarker) => `${version} ${at}`

/** Releases of several projects with one version, which a build tool deployed together, are one marker. */
const toUnique = (releases: ReleaseMarker[]): ReleaseMarker[] => [
  ...new Map(releases.map((release) => [keyOf(release), release])).values()
]

const describe = (releases: ReleaseMarker[], zone: Zone) =>
  releases.length === 0
    ? undefined
    : `Releases: ${releases
        .map(({ version, at }) => `${toVisibleText(version)} at ${formatZonedHour(at, zone)}`)
        .join(', ')}`

/** Pixels between a line and its label, and of a bold letter: wider than most. */
const GAP = 5
const LETTER = 7.6

/** Width of a chart in pixels on a phone, and its minimum on wider screens. */
const WIDTHS = { narrow: 340, wide: 720 } as const

/** Maximum releases to draw, the newest. */
const MAX_RELEASES = 40

/** Labels that fit, newest first. A label may fit wide charts only. */
function spread(releases: ReleaseMarker[], start: number, end: number) {
  const taken: Record<keyof typeof WIDTHS, [from: number, to: number][]> = { narrow: [], wide: [] }
  return releases
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MAX_RELEASES)
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

/** Round times on a clock of the zone. */
function toTicks(start: number, end: number, zone: Zone): number[] {
  const step = [HOUR / 6, HOUR, 3 * HOUR, 6 * HOUR, 24 * HOUR, 48 * HOUR, 168 * HOUR, 720 * HOUR].find(
    (step) => (end - start) / step <= 8
  )
  if (!step) return []
  const ticks: number[] = []
  for (let clock = Math.ceil(toClock(start, zone).getTime() / step) * step; ; clock += step) {
    const at = fromClock(clock, zone)
    // the last label would not fit
    if (at >= end - (end - start) * 0.08) return ticks
    if (at >= start) ticks.push(at)
  }
}

const tickWords = (at: number, span: number, zone: Zone) =>
  span > 48 * HOUR ? formatDay(at, zone).replace(/ \d{4}$/, '') : formatClock(at, zone)
