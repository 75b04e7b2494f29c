import type { FastifyInstance } from 'fastify'
import { forbidden, notFound, unauthorized } from '../../common/outcomes.ts'
import type { Person } from './access.ts'
import { SIGN_IN_PATH } from './paths.ts'

/** What is needed to know who asks: a page's `ctx`, or a request. */
export interface Asking {
  server: Pick<FastifyInstance, 'inboxAccess'>
  cookies: Readonly<Record<string, string | undefined>>
}

/**
 * Whoever is signed in to the inbox, for guards of pages and handlers of routes.
 * @throws Outcome 404 where the inbox shows nothing, 401 for anybody else
 */
export async function requirePerson({ server, cookies }: Asking): Promise<Person> {
  requireOpen({ server })
  const person = await server.inboxAccess.findPerson(cookies)
  return person ?? unauthorized('Sign in to see the inbox.', { signInPath: SIGN_IN_PATH })
}

/**
 * The same, for admins.
 * @throws Outcome 403 for a viewer
 */
export async function requireAdmin(asking: Asking): Promise<Person> {
  const person = await requirePerson(asking)
  return person.role === 'admin' ? person : forbidden('This is for admins of the inbox.')
}

/** @throws Outcome 404 where the inbox shows nothing */
export function requireOpen({ server }: Pick<Asking, 'server'>): void {
  if (!server.inboxAccess.isOpen) notFound()
}
