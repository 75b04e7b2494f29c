import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { toView, withView, type InboxView } from '../../view.ts'
import { toNames } from '../../view-models/project-names.ts'
import { CheckInStrip, MonitorState, ScheduleText } from '../../components/monitors/monitor-parts.tsx'
import { Empty, InProject, PageHead } from '../../components/shared/parts.tsx'
import { Table } from '../../components/shared/table.tsx'
import { Text } from '../../components/shared/text.tsx'
import { TimeAgo } from '../../components/shared/time.tsx'

export const layout = 'inbox'

export async function getData(ctx: Ctx) {
  const view = toView(ctx.search, Date.now())
  const { queries } = await requireReader(ctx)
  const { project, environment } = view
  const [projects, list] = await Promise.all([
    project === undefined ? queries.listProjects() : [],
    queries.listMonitors({ project, environment })
  ])
  return { view, projects: toNames(projects), ...list }
}

export const getMeta = () => ({ title: 'Monitors · Inbox', robots: 'noindex' })

/** Monitors, those that need attention first. */
export default function MonitorsPage({ data: { view, projects, monitors, hasMore } }: PageProps<typeof getData>) {
  return (
    <>
      <PageHead title="Monitors">
        {hasMore && (
          <p className="quiet">{`The first ${monitors.length}. Choose a project or an environment to see others.`}</p>
        )}
      </PageHead>
      {monitors.length === 0 ? (
        <NoMonitors view={view} />
      ) : (
        <Table
          columns={['Monitor', 'State', 'Last check-ins', 'Schedule', 'Last', 'Next']}
          className="table-stacked monitors"
        >
          {monitors.map((monitor) => (
            <tr key={monitor.id} data-row>
              <th scope="row">
                <a className="row-name" href={withView(`/inbox/monitors/${monitor.id}`, view)} data-row-link>
                  <Text max={60}>{monitor.slug}</Text>
                </a>{' '}
                <span className="quiet">
                  {monitor.environment !== '' && <Text max={40}>{monitor.environment}</Text>}
                  <InProject id={monitor.project} projects={projects} />
                </span>
              </th>
              <td>
                <MonitorState monitor={monitor} />
              </td>
              <td className="monitors-strip">
                <CheckInStrip checkIns={monitor.recent} />
              </td>
              <td>
                <ScheduleText monitor={monitor} />
                {monitor.isScheduleInvalid && <span className="state state-warn">cannot be used</span>}
              </td>
              <td data-label="Last">
                <TimeAgo at={monitor.lastCheckIn} />
              </td>
              <td data-label={monitor.next === undefined ? undefined : 'Next'}>
                {monitor.next !== undefined && <TimeAgo at={monitor.next} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  )
}

function NoMonitors({ view }: { view: InboxView }) {
  if (view.project !== undefined || view.environment !== undefined)
    return (
      <Empty title="No matching monitors">
        <p>
          <a href={withView('/inbox/monitors', { ...view, project: undefined, environment: undefined })}>
            Show all monitors
          </a>
        </p>
      </Empty>
    )
  return (
    <Empty title="No monitors yet">
      <p>
        A job appears here with its first check-in: <code>Sentry.withMonitor('nightly', job, config)</code> or{' '}
        <code>Sentry.captureCheckIn()</code>, or without an SDK <code>curl</code> with the address on the page of the
        project in the settings. The schedule in <code>config</code> says when the next one is expected.
      </p>
    </Empty>
  )
}
