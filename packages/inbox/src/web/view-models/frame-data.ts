import type { Ctx } from '@hull/shell/client'
import { toView } from '../view.ts'
import type { Person } from '../../access/access.ts'

/** Data for the inbox's frame. Contains nothing from the store for a visitor who is not signed in. */
export async function loadFrameData({ server, search }: Pick<Ctx, 'server' | 'search'>, person?: Person) {
  const now = Date.now()
  const view = toView(search, now)
  if (!person) return { now, view, projects: [], environments: [], versions: [], person: undefined }
  const { queries } = server.inbox!
  const { project } = view
  const [projects, environments, versions] = await Promise.all([
    queries.listProjects(),
    queries.listEnvironments({ project }),
    queries.listVersions({ project })
  ])
  const { name, role } = person
  return {
    now,
    view,
    projects: projects.map(({ id, name }) => ({ id, name })),
    environments,
    versions,
    person: { name, role }
  }
}
