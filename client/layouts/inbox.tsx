import type { Ctx, LayoutProps } from '#shell'
import { toView } from '../../lib/common/inbox-view.ts'
import { requirePerson } from '../../lib/inbox/access/guard.ts'
import { InboxFrame } from '../components/inbox/frame.tsx'

export const guard = (ctx: Ctx) => requirePerson(ctx)

/** The frame of every screen of the inbox. */
export async function getData(ctx: Ctx) {
  const { server, search } = ctx
  const { queries } = server.inbox!
  const now = Date.now()
  const view = toView(search, now)
  const { project } = view
  const [{ name, role }, projects, environments, versions] = await Promise.all([
    requirePerson(ctx),
    queries.listProjects(),
    queries.listEnvironments({ project }),
    queries.listVersions({ project })
  ])
  return {
    now,
    view,
    projects: projects.map(({ id, name }) => ({ id, name })),
    environments,
    versions,
    person: { name, role }
  }
}

export default function InboxLayout({ data, children }: LayoutProps<typeof getData>) {
  return <InboxFrame {...data}>{children}</InboxFrame>
}
