import type { Role } from '../store/model.ts'
import { highestOf, isRole, type Grants } from './roles.ts'

/** Roles that a group of the provider gives. */
export interface GroupRoles {
  /** Role for all projects. @default none is given */
  role?: Role
  /** Roles for single projects, by their ids. */
  projects: Readonly<Record<string, Role>>
}

/** Roles by group; `*` is everybody. */
export type RolesByGroup = Readonly<Record<string, GroupRoles>>

/**
 * Parses entries such as `inbox-admins=admin,shop-team=2:member,*=viewer`; a number before the role is a project.
 * @throws Error with the expected form
 */
export function parseGroupRoles(text: string): RolesByGroup {
  const found = new Map<string, { role?: Role; projects: Record<string, Role> }>()
  for (const entry of text.split(',')) {
    const [, group = '', project, role] = /^(.*\S)\s*=\s*(?:([1-9]\d{0,14}):)?(\w+)$/.exec(entry.trim()) ?? []
    if (group === '' || !isRole(role))
      throw new Error(
        'groups and roles (none, viewer, member, admin) such as inbox-admins=admin,shop=2:member,*=viewer'
      )
    const known = found.get(group) ?? { projects: {} }
    found.set(group, known)
    if (project === undefined) known.role = role
    else known.projects[project] = role
  }
  return Object.fromEntries(found)
}

/**
 * The highest of the roles that the groups of a person and `*` give; undefined without any. In a single project, a role
 * for all projects counts too, unless the groups only give `none` there.
 */
export function toGrants(groups: readonly string[], roles: RolesByGroup): Grants | undefined {
  const given = [...groups, '*'].flatMap((group) => (Object.hasOwn(roles, group) ? roles[group]! : []))
  if (given.length === 0) return undefined
  const ids = new Set(given.flatMap(({ projects }) => Object.keys(projects)))
  const role = highestOf(given.map((one) => one.role))
  const roleOf = (id: string) => {
    const own = highestOf(given.map(({ projects }) => projects[id]))
    return own === 'none' ? own : highestOf([own, role])
  }
  return { role, projects: Object.fromEntries([...ids].map((id) => [id, roleOf(id)])) }
}
