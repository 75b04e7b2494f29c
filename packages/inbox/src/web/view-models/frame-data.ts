import type { Ctx } from '@hull/shell/client'
import { toView } from '../view.ts'
import type { Person } from '../../access/access.ts'
import { toReach } from '../../access/reach.ts'
import { highestRole, seesAll } from '../../access/roles.ts'

/** Data for the inbox's frame. Contains nothing from the store for a visitor who is not signed in. */
export async function loadFrameData({ server, search }: Pick<Ctx, 'server' | 'search'>, person?: Person) {
  const now = Date.now()
  const view = toView(search, now)
  if (!person) return { now, view, projects: [], environments: [], versions: [], person: undefined }
  const { queries } = toReach(server.inbox!, person)
  const { projects, environments, versions } = await queries.getChoices({ project: view.project })
  return {
    now,
    view,
    projects: projects.map(({ id, name }) => ({ id, name })),
    environments,
    versions,
    person: { name: person.name, role: person.role, highest: highestRole(person), seesAll: seesAll(person) }
  }
}
