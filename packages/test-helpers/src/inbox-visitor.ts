import type { FastifyInstance, InjectOptions } from 'fastify'

export const INBOX_PASSWORD = 'correct horse battery staple'

type Fields = Record<string, string | number>

/** Somebody with a browser, which keeps the cookies it is given. */
export function createVisitor(app: FastifyInstance, remoteAddress = '203.0.113.1') {
  const cookies = new Map<string, string>()

  async function ask(request: InjectOptions) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
    const headers = { host: 'localhost:3000', ...(cookie && { cookie }), ...request.headers }
    const response = await app.inject({ remoteAddress, ...request, headers })
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  return {
    cookies,
    ask,
    get: (url: string, headers: Record<string, string> = {}) => ask({ url, headers }),
    post: (url: string, fields: Fields = {}, headers: Record<string, string> = {}) =>
      ask({
        method: 'POST',
        url,
        payload: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin: 'http://localhost:3000',
          ...headers
        }
      })
  }
}

export type Visitor = ReturnType<typeof createVisitor>

/** An admin of an application whose INBOX_PASSWORD is the one above. */
export async function signIn(app: FastifyInstance, name = 'Ada'): Promise<Visitor> {
  // Each from an address of its own: tries are counted.
  const admin = createVisitor(
    app,
    `198.51.100.${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 256}`
  )
  const { statusCode } = await admin.post('/inbox/sign-in', { name, password: INBOX_PASSWORD })
  if (statusCode !== 303) throw new Error(`${name} was not let in: ${statusCode}`)
  return admin
}

/** Somebody whom an admin has invited. */
export async function acceptInvitation(app: FastifyInstance, admin: Visitor, role: 'viewer' | 'admin', name: string) {
  const guest = createVisitor(app)
  const { statusCode } = await guest.post(await makeInvitation(admin, role), { name })
  if (statusCode !== 303) throw new Error(`${name} was not let in: ${statusCode}`)
  return guest
}

/** Path and query of an invitation's link, as the admin's page shows it. */
export async function makeInvitation(admin: Visitor, role: 'viewer' | 'admin'): Promise<string> {
  await admin.post('/inbox/settings/people', { intent: 'invite', role })
  return linkIn((await admin.get('/inbox/settings/people')).body)
}

/** The first link to an invitation that a page shows. */
export function linkIn(html: string): string {
  const [path] = /\/inbox\/invitation\?token=[\w-]{43}/.exec(html) ?? []
  if (path === undefined) throw new Error('the page shows no invitation')
  return path
}
