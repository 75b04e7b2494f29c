import type {
  Waterfall as WaterfallData,
  WaterfallBar,
  WaterfallError,
  WaterfallRow
} from '../../view-models/waterfall.ts'
import { rateVital } from '../../vitals.ts'
import { toVisibleText } from '@hull/common/visible-text.ts'
import { countOf, formatMs } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'
import { formatVital, RATING_WORDS } from '../vital.ts'
import './waterfall.css'

interface WaterfallProps {
  waterfall: WaterfallData
  /** Address that a bar links to. */
  hrefOf: (spanId: string) => string
  /** Span whose attributes are shown. */
  selected?: string
}

const SIDES = [
  ['browser', 'Client'],
  ['server', 'Server']
] as const

/** Spans on one time axis, clients above servers. The link of each row describes it completely. */
export function Waterfall({ waterfall, hrefOf, selected }: WaterfallProps) {
  const { rows, marks, ticks, lines, omitted, errors } = waterfall
  return (
    <div className="waterfall">
      <div className="waterfall-body">
        <Axis ticks={ticks} marks={marks} lines={lines} errors={errors} />
        {SIDES.map(([side, label]) => {
          const own = rows.filter((row) => row.side === side)
          return own.length === 0 ? null : (
            <section key={side} className={`waterfall-side waterfall-${side}`} aria-label={label}>
              <p className="waterfall-name">{label}</p>
              <ol>
                {own.map((row) => (
                  <Row key={row.bars[0]!.spanId} row={row} hrefOf={hrefOf} selected={selected} />
                ))}
              </ol>
            </section>
          )
        })}
      </div>
      {omitted > 0 && (
        <p className="quiet small">{`${countOf(omitted, 'more span is', 'more spans are')} not shown.`}</p>
      )}
    </div>
  )
}

type AxisProps = Pick<WaterfallData, 'ticks' | 'marks' | 'lines' | 'errors'>

function Axis({ ticks, marks, lines, errors }: AxisProps) {
  const height = 20 + lines * 16
  return (
    <>
      <svg className="waterfall-lines waterfall-grid" aria-hidden="true">
        {ticks.slice(1).map(({ at, ms }) => (
          <line key={ms} x1={`${at}%`} x2={`${at}%`} y1="0" y2="100%" />
        ))}
      </svg>
      <svg className="waterfall-lines" aria-hidden="true">
        {marks.map(({ name, value, at, line }) => (
          <line
            key={name}
            className={`waterfall-mark waterfall-mark-${rateVital(name, value)}`}
            x1={`${at}%`}
            x2={`${at}%`}
            y1={20 + line * 16}
            y2="100%"
          />
        ))}
      </svg>
      <div className="waterfall-axis">
        <svg height={height} role="img" aria-label={describeMarks(marks)}>
          {ticks.map(({ at, ms }) => (
            <text
              key={ms}
              className="waterfall-tick"
              x={`${at}%`}
              y="14"
              textAnchor={at === 0 ? 'start' : at > 94 ? 'end' : 'middle'}
            >
              {formatMs(ms)}
            </text>
          ))}
          {marks.map(({ name, value, at, line, isEnd }) => (
            <text
              key={name}
              className={`waterfall-mark waterfall-mark-${rateVital(name, value)}`}
              x={`${at}%`}
              y={32 + line * 16}
              dx={isEnd ? -4 : 4}
              textAnchor={isEnd ? 'end' : 'start'}
            >
              {`${name} ${formatVital(name, value)}`}
            </text>
          ))}
          {errors.map((error) => (
            <Notch key={error.eventId} error={error} y={4} />
          ))}
        </svg>
      </div>
    </>
  )
}

const describeMarks = (marks: WaterfallData['marks']) =>
  marks.length === 0
    ? 'Time since the start of the trace'
    : `Time since the start of the trace. ${marks.map(({ name, value }) => `${name} ${formatVital(name, value)}, ${RATING_WORDS[rateVital(name, value)]}`).join('; ')}`

function Row({ row, hrefOf, selected }: { row: WaterfallRow } & Pick<WaterfallProps, 'hrefOf' | 'selected'>) {
  const { bars, depth, op, name, duration, errors } = row
  const chosen = bars.find(({ spanId }) => spanId === selected)
  // A row of attempts links to the selected attempt, or to the last one, which gave the result.
  const { spanId } = chosen ?? bars.at(-1)!
  return (
    <li id={`span-${spanId}`}>
      <a
        className="waterfall-row"
        href={`${hrefOf(spanId)}#span-${spanId}`}
        aria-current={chosen ? 'true' : undefined}
        data-keep-scroll
        data-prefetch="none"
      >
        <span className={`waterfall-op waterfall-depth-${depth}`}>
          <Text max={60}>{op === '' ? 'span' : op}</Text>
        </span>
        <span className="visually-hidden">{` ${describeRow(row)}`}</span>
        <span className="waterfall-title" aria-hidden="true">
          <bdi>{toVisibleText(name)}</bdi> <span>{formatMs(duration)}</span>
        </span>
        <svg className="waterfall-lane" height="24" aria-hidden="true">
          {bars.map((bar) => (
            <Bar key={bar.spanId} bar={bar} isChosen={bar === chosen} />
          ))}
          <Label row={row} />
          {errors.map((error) => (
            <Notch key={error.eventId} error={error} y={0} />
          ))}
        </svg>
      </a>
    </li>
  )
}

function Bar({ bar: { at, self, status, attempt }, isChosen }: { bar: WaterfallBar; isChosen: boolean }) {
  const [from, width] = at
  // A span that failed because of a child keeps its colour, with a red end.
  const isLeaf = self.length === 0
  const failed = status === 'error' && isLeaf ? 'waterfall-failed' : ''
  return (
    <>
      <rect
        className={`waterfall-bar waterfall-bar-${status} ${isLeaf ? 'waterfall-own' : ''} ${failed}`}
        x={`${from}%`}
        width={`${width}%`}
        y="4"
        height="16"
        rx="2"
      />
      {self.map(([start, length]) => (
        <rect key={start} className="waterfall-own" x={`${start}%`} width={`${length}%`} y="4" height="16" />
      ))}
      {status === 'error' && !isLeaf && (
        <svg x={`${from + width}%`} overflow="visible">
          <rect className="waterfall-end" x="-3" y="4" width="3" height="16" />
        </svg>
      )}
      {isChosen && <rect className="waterfall-chosen" x={`${from}%`} width={`${width}%`} y="3" height="18" rx="2.5" />}
      {attempt !== undefined && (
        <svg x={`${from}%`} overflow="visible">
          <text className="waterfall-attempt" x="2" y="16">
            {attempt}
          </text>
        </svg>
      )}
    </>
  )
}

/** Percent of the axis per character, on a fairly narrow screen. */
const CHARACTER = 1.1

/** Label inside the bar if it fits, else to its right, or to its left if there is no room. */
function Label({ row: { bars, name, duration } }: { row: WaterfallRow }) {
  const text = toVisibleText(name)
  const time = formatMs(duration)
  const from = bars[0]!.at[0]
  const end = Math.max(...bars.map(({ at: [start, width] }) => start + width))
  const needed = (text.length + time.length + 2) * CHARACTER
  const isInside = bars.length === 1 && needed * 0.7 <= end - from
  const [x, dx, anchor] = isInside
    ? ([from, 6, 'start'] as const)
    : end + needed <= 100 || end < 100 - from
      ? ([end, 6, 'start'] as const)
      : ([from, -6, 'end'] as const)
  return (
    <text className="waterfall-label" x={`${x}%`} y="16" dx={dx} textAnchor={anchor}>
      {text}
      <tspan className="waterfall-time" dx="6">
        {time}
      </tspan>
    </text>
  )
}

/** Red mark at the time of an error; larger for the displayed error. */
function Notch({ error: { at, isCurrent }, y }: { error: WaterfallError; y: number }) {
  return (
    <svg x={`${at}%`} y={y} overflow="visible">
      <path
        className={`waterfall-notch ${isCurrent ? 'waterfall-notch-current' : ''}`.trim()}
        d={isCurrent ? 'M0 0 7 5 0 24 -7 5Z' : 'M-5 1H5L0 11Z'}
      />
    </svg>
  )
}

/** Description of a row for people who cannot see the drawing. */
function describeRow({ name, bars, start, duration, self, errors, isOrphan }: WaterfallRow): string {
  const parts = [toVisibleText(name), formatMs(duration), `starts after ${formatMs(start)}`]
  if (self < duration * 0.99) parts.push(`self time ${formatMs(self)}`)
  if (bars.length > 1) parts.push(`${bars.length} attempts: ${bars.map(({ status }) => OUTCOMES[status]).join(', ')}`)
  else if (bars[0]!.status !== 'ok') parts.push(OUTCOMES[bars[0]!.status])
  if (isOrphan) parts.push('parent not received')
  for (const { type } of errors) parts.push(`error ${toVisibleText(type)}`)
  return parts.join(', ')
}

const OUTCOMES = { ok: 'succeeded', error: 'failed', cancelled: 'cancelled' } as const
