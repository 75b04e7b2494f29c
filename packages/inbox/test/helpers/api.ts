import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Visitor } from '../../src/testing.ts'

const TOKENS = '/inbox/settings/tokens'

/** Creates a token on the settings page, and returns its text. */
export async function createToken(admin: Visitor, scope: 'read' | 'write', name = `A program that can ${scope}`) {
  await admin.post(TOKENS, { intent: 'create', name, scope })
  const [token] = /hull_[\w-]{43}/.exec((await admin.get(TOKENS)).body) ?? []
  if (token === undefined) throw new Error('the page shows no token')
  return token
}

/** Returns a function that sends requests to the API with a token. */
export const openApi =
  (app: FastifyInstance, token: string) =>
  (path: string, request: Omit<InjectOptions, 'url'> = {}) =>
    app.inject({
      ...request,
      url: `/inbox/api${path}`,
      headers: { authorization: `Bearer ${token}`, accept: '*/*', ...request.headers }
    })
