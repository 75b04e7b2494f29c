import type { Ctx, PageProps } from '@hull/shell/client'
import { MonitorsView } from '../../components/monitors-view.tsx'
import { toView } from '../../view.ts'

export const layout = 'inbox'

export async function getData({ server, search }: Ctx) {
  const view = toView(search, Date.now())
  const { project, environment } = view
  return { view, ...(await server.inbox!.queries.listMonitors({ project, environment })) }
}

export const getMeta = () => ({ title: 'Monitors · Inbox', robots: 'noindex' })

export default function MonitorsPage({ data }: PageProps<typeof getData>) {
  return <MonitorsView {...data} />
}
