import type { FastifyInstance } from 'fastify'
import { signIn as signInBy, type Visitor } from '@hull/inbox/testing'

export { createVisitor, type Visitor } from '@hull/inbox/testing'

export const INBOX_PASSWORD = 'correct horse battery staple'

/** An admin of an application whose INBOX_PASSWORD is the constant above. */
export const signIn = (app: FastifyInstance, name?: string): Promise<Visitor> =>
  signInBy(app, { password: INBOX_PASSWORD, ...(name !== undefined && { name }) })
