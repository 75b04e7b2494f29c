import type { Ctx, PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { MonitorsView } from '../../components/monitors/monitors-view.tsx'
import { toView } from '../../view.ts'
import { toNames } from '../../view-models/project-names.ts'

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

export default function MonitorsPage({ data }: PageProps<typeof getData>) {
  return <MonitorsView {...data} />
}
