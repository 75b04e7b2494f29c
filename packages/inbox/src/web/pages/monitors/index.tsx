import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { MonitorsView } from '../../components/monitors-view.tsx'
import { toView } from '../../view.ts'

export const layout = 'inbox'

export async function getData(ctx: Ctx) {
  const view = toView(ctx.search, Date.now())
  const { queries } = await requireReader(ctx)
  const { project, environment } = view
  return { view, ...(await queries.listMonitors({ project, environment })) }
}

export const getMeta = () => ({ title: 'Monitors · Inbox', robots: 'noindex' })

export default function MonitorsPage({ data }: PageProps<typeof getData>) {
  return <MonitorsView {...data} />
}
