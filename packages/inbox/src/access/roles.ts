import type { Role } from '../store/model.ts'

/** Roles, each with the rights of those before it. */
export const ROLES = ['none', 'viewer', 'member', 'admin'] as const satisfies Role[]

/** A person's role in all projects, with others for single projects. */
export interface Grants {
  role: Role
  /** Roles for single projects, by their ids. */
  projects: Readonly<Record<string, Role>>
}

/** The role of a person in a project. */
export const roleIn = ({ role, projects }: Grants, project: number): Role => projects[project] ?? role

/** Whether a role has at least the rights of another. */
export const isAtLeast = (role: Role, least: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(least)

/** The highest of the roles; `none` without any. */
export const highestOf = (roles: readonly (Role | undefined)[]): Role =>
  ROLES.findLast((role) => roles.includes(role)) ?? 'none'

/** The highest role of a person in any project. */
export const highestRole = ({ role, projects }: Grants): Role => highestOf([role, ...Object.values(projects)])

/** Whether a person can read every project. */
export const seesAll = ({ role, projects }: Grants): boolean =>
  role !== 'none' && !Object.values(projects).includes('none')

export const isRole = (text: unknown): text is Role => (ROLES as readonly unknown[]).includes(text)
