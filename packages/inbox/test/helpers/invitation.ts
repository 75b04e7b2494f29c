import type { FastifyInstance } from 'fastify'
import type { Role } from '../../src/store/model.ts'
import { createVisitor, type Visitor } from '../../src/testing.ts'

/** Invites a person, and accepts the invitation. */
export async function acceptInvitation(
  app: FastifyInstance,
  admin: Visitor,
  role: Exclude<Role, 'none'>,
  name: string,
  project?: number
) {
  const guest = createVisitor(app)
  const { statusCode } = await guest.post(await makeInvitation(admin, role, project), { name })
  if (statusCode !== 303) throw new Error(`${name} was not admitted: ${statusCode}`)
  return guest
}

/**
 * Creates an invitation.
 * @returns path and query of its link, from the page of the admin
 */
export async function makeInvitation(admin: Visitor, role: Exclude<Role, 'none'>, project?: number): Promise<string> {
  await admin.post('/inbox/settings/people', { intent: 'invite', role, ...(project !== undefined && { project }) })
  return linkIn((await admin.get('/inbox/settings/people')).body)
}

/** Returns the first invitation link on a page. */
export function linkIn(html: string): string {
  const [path] = /\/inbox\/invitation\?token=[\w-]{43}/.exec(html) ?? []
  if (path === undefined) throw new Error('the page shows no invitation')
  return path
}
