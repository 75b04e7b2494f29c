import type { Ctx, LayoutProps } from '#shell'
import { toView } from '../../lib/common/inbox-view.ts'
import { InboxFrame } from '../components/inbox/frame.tsx'

/** The frame of every screen of the inbox. */
export async function getData({ server, search }: Ctx) {
  const { queries } = server.inbox!
  const now = Date.now()
  const view = toView(search, now)
  const { project } = view
  const [projects, environments, versions] = await Promise.all([
    queries.listProjects(),
    queries.listEnvironments({ project }),
    queries.listVersions({ project })
  ])
  return { now, view, projects: projects.map(({ id, name }) => ({ id, name })), environments, versions }
}

export default function InboxLayout({ data, children }: LayoutProps<typeof getData>) {
  return <InboxFrame {...data}>{children}</InboxFrame>
}
