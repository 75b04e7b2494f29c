import { notFound, redirect, type ActionCtx, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { requireAdmin, requirePerson } from '../../../access/guard.ts'
import { MonitorView } from '../../components/monitor-view.tsx'
import { MAX_CHECK_IN_COUNT, toView } from '../../view.ts'
import { readPage, toPaging } from '../../view-models/paging.ts'

export const layout = 'inbox'

/** Check-ins per page. */
const CHECK_INS = 50

type Address = '/inbox/monitors/[id]'

export async function getData(ctx: Ctx<Address>) {
  const { server, search, params } = ctx
  if (!/^[1-9]\d{0,14}$/.test(params.id)) notFound('This monitor does not exist.')
  const { queries } = server.inbox!
  const id = Number(params.id)
  const { cursor, offset } = readPage(search)
  const [{ role }, monitor, { checkIns, total, next, previous }] = await Promise.all([
    requirePerson(ctx),
    queries.getMonitor({ id }),
    queries.listCheckIns({ monitor: id, cursor, limit: CHECK_INS })
  ])
  return {
    view: toView(search, Date.now()),
    isAdmin: role === 'admin',
    monitor,
    checkIns,
    paging: toPaging(
      {
        rows: checkIns.length,
        size: CHECK_INS,
        total,
        most: MAX_CHECK_IN_COUNT,
        isFirst: !previous,
        ...(next !== undefined && { next }),
        ...(previous !== undefined && { previous })
      },
      offset
    )
  }
}

export const getMeta = ({ data: { monitor } }: MetaCtx<typeof getData>) => ({
  title: `${clip(toVisibleText(monitor.slug), 100)} · Monitors · Inbox`,
  robots: 'noindex'
})

export async function action(ctx: ActionCtx<Address>) {
  await requireAdmin(ctx)
  const { server, form, params } = ctx
  if (form.get('intent') !== 'delete') return
  await server.inbox!.changes.deleteMonitor({ id: Number(params.id) })
  redirect('/inbox/monitors')
}

export default function MonitorPage({ data }: PageProps<typeof getData>) {
  return <MonitorView {...data} />
}
