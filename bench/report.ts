import type { Measurement } from './measures/measure.ts'
import type { ContenderName } from './options.ts'
import { findRatio, type Ratio, type Verdict } from './ratios.ts'
import type { Target } from './targets.ts'

/** One row for each measurement and each contender it is held against. */
export function createTable(measurements: Measurement[], names: ContenderName[], verdicts: Verdict[]): string {
  const others = names.filter((name) => name !== 'floor')
  const rows = measurements.flatMap((measurement) => {
    const own = verdicts.filter(({ target }) => target.measurement === measurement.id)
    const bases = new Set<ContenderName>(['floor', ...own.map(({ target }) => target.to)])
    return [...bases]
      .filter((base) => names.includes(base))
      .map((base) => [
        measurement.label,
        base,
        ...others.map((name) => (name === base ? '1' : formatRatio(findRatio(measurement, name, base)))),
        ...formatVerdict(own.find(({ target }) => target.to === base))
      ])
  })
  return alignColumns([['', 'to', ...others, 'held to', ''], ...rows])
}

/** Targets that this run says nothing about. */
export function listUnmeasured(verdicts: Verdict[]): string[] {
  return verdicts
    .filter(({ ratio }) => !ratio)
    .map(({ target }) => `${target.measurement}: ${target.of} to ${target.to} ${formatBound(target)}`)
}

function formatRatio(ratio: Ratio | undefined): string {
  if (!ratio) return '-'
  const { median, min, max } = ratio
  return min === max ? median.toFixed(2) : `${median.toFixed(2)} (${min.toFixed(2)}-${max.toFixed(2)})`
}

function formatVerdict(verdict: Verdict | undefined): [string, string] {
  if (!verdict?.ratio) return ['', '']
  return [`${verdict.target.of} ${formatBound(verdict.target)}`, verdict.holds ? 'holds' : 'misses']
}

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
