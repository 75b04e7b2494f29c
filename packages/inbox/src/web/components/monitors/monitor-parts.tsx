import type { CheckInRow, CheckInStatus, MonitorRow } from '../../../queries/monitor-types.ts'
import { countOf } from '../shared/format.ts'
import { Text } from '../shared/text.tsx'
import { useNow } from '../shared/time.tsx'
import './monitors.css'

export const RESULTS: Record<CheckInStatus, [kind: 'good' | 'bad' | 'warn' | 'quiet', word: string]> = {
  ok: ['good', 'OK'],
  error: ['bad', 'Failed'],
  missed: ['bad', 'Missed'],
  timeout: ['bad', 'Timed out'],
  in_progress: ['quiet', 'Running']
}

/** State of a monitor: its last result, and whether the job runs or is late. */
export function MonitorState({ monitor: { status, isRunning, next } }: { monitor: MonitorRow }) {
  const now = useNow()
  const isLate = next !== undefined && next < now && !isRunning && (status ?? 'ok') === 'ok'
  const [kind, word] = isLate
    ? (['warn', 'Late'] as const)
    : status
      ? RESULTS[status]
      : (['quiet', 'No result yet'] as const)
  return (
    <span>
      <span className={`state state-${kind}`}>{word}</span>
      {isRunning && <span className="quiet">, running</span>}
    </span>
  )
}

/** `0 3 * * * Europe/Berlin`, or `every 10 minutes`. */
export function ScheduleText({ monitor: { schedule } }: { monitor: MonitorRow }) {
  if (!schedule) return <span className="quiet">No schedule</span>
  const { crontab, every, unit, zone } = schedule
  if (crontab === null) return `every ${every === 1 ? unit : `${every} ${unit}s`}`
  return (
    <>
      <code>
        <Text max={60}>{crontab}</Text>
      </code>{' '}
      <span className="quiet">
        <Text max={40}>{zone}</Text>
      </span>
    </>
  )
}

const WIDTH = 5
const HEIGHT = 20

/** Check-ins as bars, oldest first: a failed one is taller than a good one, and one that runs has only a border. */
export function CheckInStrip({ checkIns }: { checkIns: CheckInRow[] }) {
  return (
    <svg
      className="check-ins"
      width={checkIns.length * WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={describe(checkIns)}
    >
      {checkIns.map(({ id, status }, i) => {
        const height = RESULTS[status][0] === 'bad' ? HEIGHT : HEIGHT / 2
        const className = `check-in-${RESULTS[status][0]}`
        return (
          <rect
            key={id}
            className={className}
            x={i * WIDTH + 0.5}
            y={HEIGHT - height + 0.5}
            width={WIDTH - 2}
            height={height - 1}
          />
        )
      })}
    </svg>
  )
}

function describe(checkIns: CheckInRow[]): string {
  // Older browsers have no Map.groupBy.
  const counts = new Map<string, number>()
  for (const { status } of checkIns) {
    const word = RESULTS[status][1]
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`)
  return `Last ${countOf(checkIns.length, 'check-in')}: ${parts.join(', ')}`
}
