import type { CheckInRow, MonitorRow } from '../../../queries/monitor-types.ts'
import type { Paging } from '../../view-models/paging.ts'
import { withView, type InboxView } from '../../view.ts'
import { Bars } from '../charts/bars.tsx'
import { Confirm, DangerZone } from '../shared/confirm.tsx'
import { MonitorState, RESULTS, ScheduleText } from './monitor-parts.tsx'
import { countOf, formatMs } from '../shared/format.ts'
import { Crumbs, PageHead, Pager, Pair, Section } from '../shared/parts.tsx'
import { Table } from '../shared/table.tsx'
import { Text } from '../shared/text.tsx'
import { Time, TimeAgo } from '../shared/time.tsx'
import '../../styles/inbox-settings.css'

interface MonitorViewProps {
  view: InboxView
  monitor: MonitorRow
  /** Newest first. */
  checkIns: CheckInRow[]
  paging: Paging
  isAdmin: boolean
}

/** One monitor: its schedule, the durations of its job, and its check-ins. */
export function MonitorView({ view, monitor, checkIns, paging, isAdmin }: MonitorViewProps) {
  const { id, slug, environment, margin, maxRuntime, failures, lastCheckIn, next, isScheduleInvalid } = monitor
  const durations = checkIns.flatMap(({ duration }) => duration ?? [])
  return (
    <>
      <Crumbs above={[{ href: withView('/inbox/monitors', view), label: 'Monitors' }]} here={slug} />
      <PageHead title={<Text max={100}>{slug}</Text>}>
        <MonitorState monitor={monitor} />
      </PageHead>
      {isScheduleInvalid && (
        <p className="notice notice-warn">
          The schedule or its time zone cannot be read, or its time never comes. Missed check-ins are not found. A
          crontab has five fields, such as <code>0 3 * * *</code>.
        </p>
      )}
      <dl className="pairs">
        {environment !== '' && (
          <Pair name="Environment">
            <Text max={100}>{environment}</Text>
          </Pair>
        )}
        <Pair name="Schedule">
          <ScheduleText monitor={monitor} />
        </Pair>
        <Pair name="Last check-in">
          <TimeAgo at={lastCheckIn} />
        </Pair>
        {next !== undefined && (
          <Pair name="Next expected">
            <TimeAgo at={next} /> <span className="quiet">{`(missed ${formatMs(margin)} later)`}</span>
          </Pair>
        )}
        <Pair name="Maximum run time">{formatMs(maxRuntime)}</Pair>
        {failures > 1 && <Pair name="Alerts after">{`${failures} failures in a row`}</Pair>}
      </dl>
      {durations.length > 0 && <Durations durations={durations} />}
      <Section id="check-ins" title="Check-ins" aside={<span>all that are stored</span>}>
        <Table columns={['Result', 'Time', { label: 'Duration', className: 'number' }, 'Trace']}>
          {checkIns.map((checkIn) => (
            <Row key={checkIn.id} checkIn={checkIn} view={view} />
          ))}
        </Table>
        <Pager paging={paging} here={withView(`/inbox/monitors/${id}`, view)} isByTime />
      </Section>
      {isAdmin && (
        <DangerZone>
          <Confirm label="Delete monitor" intent="delete">
            The monitor is deleted with its history. Delete it if its job no longer exists; the next check-in of the job
            would create it again.
          </Confirm>
        </DangerZone>
      )}
    </>
  )
}

function Durations({ durations }: { durations: number[] }) {
  const sorted = durations.toSorted((a, b) => a - b)
  const summary = `${countOf(durations.length, 'run')}, median ${formatMs(sorted[Math.floor(sorted.length / 2)]!)}, longest ${formatMs(sorted.at(-1)!)}`
  return (
    <Section id="durations" title="Duration" aside={<span>{summary}</span>}>
      <Bars className="bars monitor-durations" points={durations.toReversed()} label={`Durations of ${summary}`} />
    </Section>
  )
}

function Row({ checkIn, view }: { checkIn: CheckInRow; view: InboxView }) {
  const { status, at, finished, duration, missed = 1, traceId } = checkIn
  const [kind, word] = RESULTS[status]
  return (
    <tr>
      <th scope="row">
        <span className={`state state-${kind}`}>{missed > 1 ? `${word} ${missed} times` : word}</span>
      </th>
      <td>
        <Time at={at} />
        {missed > 1 && finished !== undefined && (
          <span className="quiet">
            {' to '}
            <Time at={finished} />
          </span>
        )}
      </td>
      <td className="number" data-label={duration === undefined ? undefined : 'Duration'}>
        {duration !== undefined && formatMs(duration)}
      </td>
      <td>{traceId !== undefined && <a href={withView(`/inbox/traces/${traceId}`, view)}>Trace</a>}</td>
    </tr>
  )
}
