import type { Measurement } from './measures/measure.ts'
import type { ContenderName } from './options.ts'
import { isHull } from './pages.ts'
import { findSpread, type Spread, type Verdict } from './ratios.ts'
import type { Target } from './targets.ts'

/**
 * Creates a table with one row per measurement and contender that others are compared with: the floor, and those that a
 * bound names. A bound without a contender adds a row in the measurement's unit.
 */
export function createTable(measurements: Measurement[], names: ContenderName[], verdicts: Verdict[]): string {
  const others = names.filter((name) => name !== 'floor')
  const rows = measurements.flatMap((measurement) => {
    const own = verdicts.filter(({ target }) => target.measurement === measurement.id)
    const bases = new Set([...findDefaultBases(measurement, own.length > 0), ...own.map(({ target }) => target.to)])
    return [...bases]
      .filter((base) => base === undefined || names.includes(base))
      .map((base) => [
        measurement.label,
        base ?? measurement.unit,
        ...others.map((name) => (name === base ? '1' : formatSpread(findSpread(measurement, name, base)))),
        ...formatVerdicts(own.filter(({ target, spread }) => spread && target.to === base))
      ])
  })
  return alignColumns([['', 'to', ...others, 'bound', ''], ...rows])
}

/**
 * The floor, if it was measured; otherwise, for a measurement without a bound, the peers, or undefined for the unit.
 */
function findDefaultBases({ samples }: Measurement, hasBound: boolean): Array<ContenderName | undefined> {
  if (samples.floor) return ['floor']
  if (hasBound) return []
  const others = (Object.keys(samples) as ContenderName[]).filter((name) => !isHull(name))
  return others.length > 0 ? others : [undefined]
}

/** Targets that this run did not measure. */
export function listUnmeasured(verdicts: Verdict[]): string[] {
  return verdicts
    .filter(({ spread }) => !spread)
    .map(
      ({ target }) => `${target.measurement}: ${target.of}${target.to ? ` to ${target.to}` : ''} ${formatBound(target)}`
    )
}

function formatSpread(spread: Spread | undefined): string {
  if (!spread) return '-'
  const { median, min, max } = spread
  return min === max ? format(median) : `${format(median)} (${format(min)}-${format(max)})`
}

/** Two decimal digits for ratios, none for bytes. */
const format = (value: number) => value.toFixed(value < 1_000 ? 2 : 0)

const formatVerdicts = (verdicts: Verdict[]): [bounds: string, judgements: string] => [
  verdicts.map(({ target }) => `${target.of} ${formatBound(target)}`).join(', '),
  verdicts.map(({ holds }) => (holds ? 'holds' : 'misses')).join(', ')
]

const formatBound = ({ atMost, below }: Target) => (atMost === undefined ? `< ${below}` : `<= ${atMost}`)

function alignColumns(rows: string[][]): string {
  const widths = rows[0]!.map((_cell, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}
