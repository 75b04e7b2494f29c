import { notFound, redirect, type ActionCtx, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { requireProjectAdmin, requireReader } from '../../../access/guard.ts'
import { toId } from '../../../to-id.ts'
import { roleIn } from '../../../access/roles.ts'
import { MonitorView } from '../../components/monitors/monitor-view.tsx'
import { toView } from '../../view.ts'
import { readPage, toPaging } from '../../view-models/paging.ts'

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

export default function MonitorPage({ data }: PageProps<typeof getData>) {
  return <MonitorView {...data} />
}
