import type { FastifyInstance } from 'fastify'
import { forbidden, notFound, unauthorized } from '@hull/common/outcomes.ts'
import type { Person } from './access.ts'
import { SIGN_IN_PATH } from '../addresses.ts'

/** Identifies the visitor: a page's `ctx`, or a request. */
export interface Asking {
  server: Pick<FastifyInstance, 'inboxAccess'>
  cookies: Readonly<Record<string, string | undefined>>
}

/**
 * Returns the person signed in to the inbox, for guards of pages and handlers of routes.
 * @throws Outcome 404 if the inbox has no pages, 401 for a visitor who is not signed in
 */
export async function requirePerson({ server, cookies }: Asking): Promise<Person> {
  requireOpen({ server })
  const person = await server.inboxAccess.findPerson(cookies)
  return person ?? unauthorized(SIGN_IN[server.inboxAccess.way ?? 'password'], { signInPath: SIGN_IN_PATH })
}

/** Message for a visitor who is not signed in. */
const SIGN_IN = {
  password: 'Sign in to see the inbox.',
  provider: 'Sign in to see the inbox.',
  link: 'Sign in to see the inbox. The server printed a sign-in link in its terminal when it started.'
}

/** Like {@link requirePerson}, for admins. @throws Outcome 403 for a viewer */
export async function requireAdmin(asking: Asking): Promise<Person> {
  const person = await requirePerson(asking)
  return person.role === 'admin' ? person : forbidden('Only admins of the inbox can open this page.')
}

/** @throws Outcome 404 if the inbox has no pages */
export function requireOpen({ server }: Pick<Asking, 'server'>): void {
  if (!server.inboxAccess.isOpen) notFound()
}
