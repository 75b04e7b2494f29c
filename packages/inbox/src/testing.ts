import type { FastifyInstance, InjectOptions } from 'fastify'

/* @hull/inbox/testing: visitors of the inbox, for tests that call an application through `inject`. */

export interface VisitorOptions {
  /** IP address of the requests. @default '203.0.113.1' */
  remoteAddress?: string
  /** Origin of the application: its BASE_URL, if that is set. @default 'http://localhost:3000' */
  origin?: string
}

export interface SignInOptions extends VisitorOptions {
  /** The application's INBOX_PASSWORD. */
  password: string
  /** Name of the admin. @default 'Ada' */
  name?: string
}

type Fields = Record<string, string | number>

/** Creates a visitor with a browser, which keeps cookies. */
export function createVisitor(app: FastifyInstance, options: VisitorOptions = {}) {
  const { remoteAddress = '203.0.113.1', origin = 'http://localhost:3000' } = options
  const cookies = new Map<string, string>()

  async function ask(request: InjectOptions) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')
    const headers = { host: new URL(origin).host, ...(cookie && { cookie }), ...request.headers }
    const response = await app.inject({ remoteAddress, ...request, headers })
    for (const { name, value, maxAge } of response.cookies) {
      if (maxAge === 0) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  return {
    /** Values of the cookies, by name. */
    cookies,
    /** Sends any request with the cookies. */
    ask,
    get: (url: string, headers: Record<string, string> = {}) => ask({ url, headers }),
    /** Posts a form of the application's own pages. */
    post: (url: string, fields: Fields = {}, headers: Record<string, string> = {}) =>
      ask({
        method: 'POST',
        url,
        payload: new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          origin,
          ...headers
        }
      })
  }
}

export type Visitor = ReturnType<typeof createVisitor>

/**
 * Returns a visitor who has signed in as an admin.
 * @throws Error with the status if the sign-in fails
 */
export async function signIn(app: FastifyInstance, { password, name = 'Ada', ...options }: SignInOptions) {
  const admin = createVisitor(app, { remoteAddress: addressOf(name), ...options })
  const { statusCode } = await admin.post('/inbox/sign-in', { name, password })
  if (statusCode !== 303) throw new Error(`${name} could not sign in: ${statusCode}`)
  return admin
}

/** Each name has its own address, because wrong passwords are counted by address. */
const addressOf = (name: string): string =>
  `198.51.100.${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 256}`
