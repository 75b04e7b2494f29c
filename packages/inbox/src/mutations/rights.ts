import { isAtLeast, roleIn, type Grants } from '../access/roles.ts'
import { InboxRoleTooLow } from '../errors.ts'
import { PROJECT_ROLES } from '../store/people.ts'
import type { Store } from '../store/store.ts'
import type { Who } from './author.ts'
import type { Changes } from './index.ts'

/** A change whose input names the person who makes it, for the audit log. */
type AuthoredChange = {
  [Name in keyof Changes]: Extract<keyof Parameters<Changes[Name]>[0], 'by' | 'madeBy'> extends never ? never : Name
}[keyof Changes]

/** Finds the project that a change is about, by the id of the input. */
type FindProject = (store: Store, id: number) => number | undefined

/** Changes that only admins of all projects make, or admins of a project; false: others make it too. */
const ADMIN_CHANGES: Record<AuthoredChange, true | FindProject | false> = {
  setRoles: true,
  removePerson: true,
  createInvitation: true,
  revokeInvitation: true,
  createProject: true,
  removeProject: true,
  renameProject: toItself,
  setRepository: toItself,
  renewKey: toItself,
  deleteMonitor: findProjectOfMonitor,
  createChannel: true,
  changeChannel: true,
  renewChannelSecret: true,
  resumeChannel: true,
  removeChannel: true,
  createRule: true,
  removeRule: true,
  createThreshold: true,
  changeThreshold: true,
  enableThreshold: true,
  removeThreshold: true,
  // People end their own sessions and tokens, and nobody gets a right by it.
  closePersonSession: false,
  closePersonSessions: false,
  revokeToken: false,
  declareRelease: false,
  addDeploy: false,
  endUpload: false
}

/**
 * Refuses a change of an admin who was removed or given another role after the request was checked: an admin who removes
 * another one relies on the list of people and invitations that follows. Call it in the transaction of the change.
 * @throws InboxRoleTooLow
 */
export function refuseFormerAdmin(store: Store, name: keyof Changes, input: unknown): void {
  const right = (ADMIN_CHANGES as Partial<Record<keyof Changes, true | FindProject | false>>)[name]
  const { id, by, madeBy = by } = (input ?? {}) as { id?: number; by?: Who; madeBy?: Who }
  if (!right || madeBy === undefined) return
  const grants = findGrants(store, madeBy)
  const project = right === true ? undefined : right(store, id!)
  const role = grants && (project === undefined ? grants.role : roleIn(grants, project))
  if (role === undefined || !isAtLeast(role, 'admin')) throw new InboxRoleTooLow('admin')
}

function findGrants(store: Store, person: Who): Grants | undefined {
  const found = store.get<{ role: Grants['role']; projects: string }>(
    `SELECT role, ${PROJECT_ROLES} FROM person WHERE id = ? AND removed IS NULL`,
    person
  )
  return found && { role: found.role, projects: JSON.parse(found.projects) as Grants['projects'] }
}

function toItself(_store: Store, id: number): number {
  return id
}

function findProjectOfMonitor(store: Store, id: number): number | undefined {
  return store.get<{ project: number }>('SELECT project FROM monitor WHERE id = ?', id)?.project
}
