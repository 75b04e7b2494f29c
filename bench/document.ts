import type { Circumstances } from './circumstances.ts'
import type { Measurement } from './measures/measure.ts'
import { NAMES } from './names.ts'
import type { ContenderName } from './options.ts'
import { PAGES } from './pages.ts'
import { findSpread, type Spread, type Verdict } from './ratios.ts'

/** Paths of the drawings, relative to the document. */
export const DRAWING = 'pictures/performance.svg'
export const GROWTH_DRAWING = 'pictures/growth.svg'

/** Prefix of the ids of growth measurements. */
const GROWTH = 'growth '

export interface Results {
  circumstances: Circumstances
  /** Contenders of the run, the floor first. */
  names: ContenderName[]
  measurements: Measurement[]
  verdicts: Verdict[]
}

/** Creates the Markdown document of a run: the machine, ratios to the floor, quantities and bounds. */
export function createDocument({ circumstances, names, measurements, verdicts }: Results): string {
  const others = names.filter((name) => name !== 'floor')
  const compared = measurements.filter(({ id, samples }) => samples.floor && !id.startsWith(GROWTH))
  const hasGrowth = measurements.some(({ id }) => id.startsWith(GROWTH))
  const hasDrawing = compared.some(({ id }) => id.startsWith('cpu '))
  return [
    '# Performance',
    '`npm run bench -- --peers --write docs` writes this page. Ratios hold for one run on one machine: the turns of all contenders were side by side. [bench/README.md](../bench/README.md) describes the contenders and how each figure is measured.',
    ...(hasDrawing ? [`![CPU per request compared with the floor, by page and framework](${DRAWING})`] : []),
    '## Machine',
    listCircumstances(circumstances),
    '## Pages',
    createTable(
      ['page', 'content'],
      PAGES.map(({ label, tree }) => [`\`${label}\``, tree])
    ),
    '## Ratios to the floor',
    'Median (minimum–maximum); smaller is better. The floor is `node:http` and React with the same tree.',
    createTable(
      ['', ...others.map(toLabel)],
      compared.map((measurement) => [
        measurement.label,
        ...others.map((name) => formatSpread(findSpread(measurement, name, 'floor'), formatRatio))
      ])
    ),
    '## Quantities',
    'Medians of the same run.',
    createTable(
      ['', ...names.map(toLabel)],
      measurements.map((measurement) => [
        measurement.label,
        ...names.map((name) => formatMedian(measurement, findSpread(measurement, name)))
      ])
    ),
    ...(hasGrowth ? ['## Growth', `![Costs by cards, connections and pages](${GROWTH_DRAWING})`] : []),
    '## Bounds',
    'The bounds are in `bench/targets.ts`.',
    createTable(
      ['figure', 'of', 'compared with', 'bound', 'measured', ''],
      verdicts.flatMap((verdict) => toBoundRow(verdict, measurements))
    ),
    ''
  ].join('\n\n')
}

function listCircumstances(facts: Circumstances): string {
  const { date, commit, cpu, cores, memory, node, kernel, pinned, versions } = facts
  const { rounds, seconds, connections, starts, warmUp, load } = facts
  return createTable(
    ['', ''],
    [
      ['Date, commit', `${date}, ${commit}`],
      ['Processor', `${cpu}, ${cores} cores`],
      ['Memory', `${Math.round(memory / 1024 ** 3)} GiB`],
      ['System', `Node ${node}, Linux ${kernel}`],
      ['Cores', pinned ? 'servers on one core, load on another, the browser on both' : 'not pinned'],
      ['Turns', `${rounds} rounds of ${seconds} s after ${warmUp} s, ${connections} connections`],
      ['Processes', `${starts} starts, ${load} s of load before memory is read`],
      ['Versions', versions.map(({ version }) => version).join(', ') || '-']
    ]
  )
}

function toBoundRow({ target, spread, holds }: Verdict, measurements: Measurement[]): string[][] {
  if (!spread) return []
  const measurement = measurements.find(({ id }) => id === target.measurement)!
  const toText = target.to === undefined ? (value: number) => formatValue(value, measurement.unit) : formatRatio
  return [
    [
      measurement.label,
      toLabel(target.of),
      target.to === undefined ? '' : toLabel(target.to),
      target.atMost === undefined ? `less than ${toText(target.below!)}` : `at most ${toText(target.atMost)}`,
      formatSpread(spread, toText),
      holds ? 'holds' : '**misses**'
    ]
  ]
}

const toLabel = (name: ContenderName) => NAMES[name].label

function formatSpread(spread: Spread | undefined, toText: (value: number) => string): string {
  if (!spread) return '-'
  const { median, min, max } = spread
  return min === max ? toText(median) : `${toText(median)} (${toText(min)}–${toText(max)})`
}

const formatRatio = (ratio: number) => ratio.toFixed(2)

const formatMedian = ({ unit }: Measurement, spread: Spread | undefined) =>
  spread ? formatValue(spread.median, unit) : '-'

/** Formats a quantity with a readable unit; KB and MB are 1,000 and 1,000,000 bytes. */
export function formatValue(value: number, unit: string): string {
  if (unit.startsWith('bytes')) {
    if (value >= 1_000_000) return `${Math.round(value / 1_000_000)} MB`
    return value >= 1_000 ? `${(value / 1_000).toFixed(1)} KB` : `${Math.round(value)} bytes`
  }
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return `${value.toFixed(digits)} ${unit}`
}

const createTable = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n')

const escapeCell = (cell: string) => cell.replaceAll('|', '\\|').replaceAll('<', '\\<')
