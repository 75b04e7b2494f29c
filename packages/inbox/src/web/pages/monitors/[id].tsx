import { notFound, redirect, type ActionCtx, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { requireProjectAdmin, requireReader } from '../../../access/guard.ts'
import { toId } from '../../../to-id.ts'
import { roleIn } from '../../../access/roles.ts'
import { toView, withView, type InboxView } from '../../view.ts'
import { readPage, toPaging } from '../../view-models/paging.ts'
import type { CheckInRow } from '../../../queries/monitor-types.ts'
import { Bars } from '../../components/charts/bars.tsx'
import { Confirm, DangerZone } from '../../components/shared/confirm.tsx'
import { MonitorState, RESULTS, ScheduleText } from '../../components/monitors/monitor-parts.tsx'
import { countOf, formatMs } from '../../components/shared/format.ts'
import { Crumbs, PageHead, Pager, Pair, Section } from '../../components/shared/parts.tsx'
import { Table } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'
import { Time, TimeAgo } from '../../components/shared/time.tsx'
import '../../styles/inbox-settings.css'

export const layout = 'inbox'

/** Check-ins per page. */
const CHECK_INS = 50

type Address = '/inbox/monitors/[id]'

export async function getData(ctx: Ctx<Address>) {
  const { search, params } = ctx
  const { person, queries } = await requireReader(ctx)
  const id = toId(params.id) || notFound('This monitor does not exist.')
  const { cursor, offset } = readPage(search)
  const [monitor, { checkIns, total, next, previous }] = await Promise.all([
    queries.getMonitor({ id }),
    queries.listCheckIns({ monitor: id, cursor, limit: CHECK_INS })
  ])
  return {
    view: toView(search, Date.now()),
    isAdmin: roleIn(person, monitor.project) === 'admin',
    monitor,
    checkIns,
    paging: toPaging({ rows: checkIns.length, size: CHECK_INS, total, next, previous }, offset)
  }
}

export const getMeta = ({ data: { monitor } }: MetaCtx<typeof getData>) => ({
  title: `${clip(toVisibleText(monitor.slug), 100)} · Monitors · Inbox`,
  robots: 'noindex'
})

export async function action(ctx: ActionCtx<Address>) {
  const { server, form, params } = ctx
  const { queries } = await requireReader(ctx)
  const { id, project } = await queries.getMonitor({ id: toId(params.id) })
  const { person } = await requireProjectAdmin(ctx, project)
  if (form.get('intent') !== 'delete') return
  await server.inbox!.changes.deleteMonitor({ id, by: person.person })
  redirect('/inbox/monitors')
}

/** One monitor: its schedule, the durations of its job, and its check-ins. */
export default function MonitorPage({ data: { view, monitor, checkIns, paging, isAdmin } }: PageProps<typeof getData>) {
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
