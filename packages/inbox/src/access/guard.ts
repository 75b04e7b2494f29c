import type { FastifyInstance } from 'fastify'
import { forbidden, notFound, unauthorized } from '@hull/common/outcomes.ts'
import type { Person } from './access.ts'
import { toReach, type Reach } from './reach.ts'
import { highestRole, isAtLeast, roleIn, seesAll } from './roles.ts'
import { SIGN_IN_PATH } from '../addresses.ts'
import type { Role } from '../store/model.ts'

/** Identifies the visitor: a page's `ctx`, or a request. */
export interface AccessContext {
  server: Pick<FastifyInstance, 'inboxAccess' | 'inbox'>
  cookies: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the person signed in to the inbox, for guards of pages and handlers of routes.
 * @throws Outcome 404 if the inbox has no pages, 401 for a visitor who is not signed in
 */
export async function requirePerson(ctx: AccessContext): Promise<Person> {
  const { server } = ctx
  requireOpen({ server })
  const person = await findPerson(ctx)
  return person ?? unauthorized(SIGN_IN[server.inboxAccess.way ?? 'password'], { signInPath: SIGN_IN_PATH })
}

/** The people that were looked up, by the `ctx` of their request. */
const people = new WeakMap<AccessContext, Promise<Person | undefined>>()

/** Finds the signed-in person, once for all guards and getData of a page, which have the same `ctx`. */
export function findPerson(ctx: AccessContext): Promise<Person | undefined> {
  let person = people.get(ctx)
  if (!person) people.set(ctx, (person = ctx.server.inboxAccess.findPerson(ctx.cookies)))
  return person
}

/** Message for a visitor who is not signed in. */
const SIGN_IN = {
  password: 'Sign in to see the inbox.',
  provider: 'Sign in to see the inbox.',
  link: 'Sign in to see the inbox. The server printed a sign-in link in its terminal when it started.'
}

/** A signed-in person, with the part of the inbox that the person's roles reach. */
export interface Reader extends Reach {
  person: Person
}

/**
 * Like {@link requirePerson}, with the queries and changes that the person may use.
 * @param least the role that the person has in one project at least
 * @throws Outcome 403 for a person without it
 */
export async function requireReader(ctx: AccessContext, least: Role = 'viewer'): Promise<Reader> {
  const person = await requirePerson(ctx)
  if (!isAtLeast(highestRole(person), least)) forbidden(NEEDED[least])
  return { person, ...toReach(ctx.server.inbox!, person) }
}

/** Message for a person without a role. */
const NEEDED: Record<Role, string> = {
  none: '',
  viewer: 'You have no role in any project of the inbox. Ask an admin for one.',
  member: 'Only members and admins of the inbox can open this page.',
  admin: 'Only admins of the inbox can open this page.'
}

/**
 * Like {@link requirePerson}, for people who read all projects: screens about the inbox as a whole.
 * @throws Outcome 404 for others
 */
export async function requireOverview(ctx: AccessContext): Promise<Person> {
  const person = await requirePerson(ctx)
  return seesAll(person) ? person : notFound()
}

/** Like {@link requirePerson}, for admins of a project, or of all. @throws Outcome 404 or 403 for others */
export async function requireProjectAdmin(ctx: AccessContext, project: number): Promise<Reader> {
  const reader = await requireReader(ctx)
  const role = roleIn(reader.person, project)
  if (role === 'none') notFound()
  return role === 'admin' ? reader : forbidden('Only admins of this project can do this.')
}

/** Like {@link requirePerson}, for admins of all projects. @throws Outcome 403 for others */
export async function requireAdmin(ctx: AccessContext): Promise<Person> {
  const person = await requirePerson(ctx)
  return person.role === 'admin' ? person : forbidden(NEEDED.admin)
}

/** @throws Outcome 404 if the inbox has no pages */
export function requireOpen({ server }: { server: Pick<FastifyInstance, 'inboxAccess'> }): void {
  if (!server.inboxAccess.isOpen) notFound()
}
