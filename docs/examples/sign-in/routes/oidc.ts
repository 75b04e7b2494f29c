import { OIDC_PROBLEMS, OidcError, PENDING_AGE, toOwnPath, toRoles } from '@hull/shell'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type {} from '../plugins/oidc.ts'
import type {} from '../plugins/sign-ins.ts'

/** A session holds 3,500 characters. */
const MAX_PENDING = 3
const MAX_RETURN_LENGTH = 300

/** The way to the provider, and the way back. There is none without the settings of a provider. */
export default async function oidcRoutes(app: FastifyInstance): Promise<void> {
  if (!app.hasDecorator('oidc')) return
  const { baseUrl } = app.hull.config
  interface Start {
    Querystring: { return?: unknown; remember?: unknown }
  }

  app.get<Start>('/sign-in/oidc/start', async function startSignIn(request, reply) {
    const { session, query } = request
    const returnTo = toReturnTo(query.return)
    reply.header('cache-control', 'no-store')
    try {
      const origin = baseUrl ?? `${request.protocol}://${request.host}`
      const redirectUri = `${origin}${app.basePath}/sign-in/oidc/callback`
      const { url, pending } = await app.oidc.begin({ redirectUri, returnTo, remember: query.remember === 'on' })
      session.set('pendingSignIns', [...readPending(request).slice(1 - MAX_PENDING), pending])
      return reply.redirect(url, 303)
    } catch (error) {
      return reply.redirect(refuse(request, error, returnTo), 303)
    }
  })

  app.get('/sign-in/oidc/callback', async function completeSignIn(request, reply) {
    const { session, url, headers } = request
    reply.header('cache-control', 'no-store')
    const search = new URL(url, 'http://here.invalid').searchParams
    const all = readPending(request)
    const pending = all.find(({ state }) => state === search.get('state'))
    try {
      if (pending)
        session.set(
          'pendingSignIns',
          all.filter((other) => other !== pending)
        )
      const { claims, idToken } = await app.oidc.complete(search, pending)
      const person = {
        // The subject is unique for its issuer only. An address of e-mail is not used: it may be given to another person.
        account: `${claims.iss} ${claims.sub}`,
        name: String(claims.name ?? claims.email ?? claims.sub),
        roles: toRoles(claims, app.oidc.roles),
        idToken
      }
      app.signIns.begin(session, person, { remember: pending!.remember, browser: headers['user-agent'] })
      return reply.redirect(pending!.returnTo, 303)
    } catch (error) {
      return reply.redirect(refuse(request, error, pending?.returnTo ?? '/'), 303)
    }
  })
}

/** Sign-ins of this browser that have begun, without those that took too long. */
const readPending = ({ session }: FastifyRequest) =>
  (session.get('pendingSignIns') ?? []).filter(({ began }) => Date.now() - began <= PENDING_AGE)

/** Returns a path of this application, in ASCII. */
function toReturnTo(address: unknown): string {
  const path = toOwnPath(String(address)) ?? '/'
  return path.length <= MAX_RETURN_LENGTH ? path : '/'
}

/** Logs the reason, and returns the address of the page that shows it: the query of this one has the code. */
function refuse({ log }: FastifyRequest, error: unknown, returnTo: string): string {
  if (!(error instanceof OidcError)) throw error
  const { code } = error
  const details = { code, reason: error.describe() }
  if (OIDC_PROBLEMS[code][0] >= 500) log.error(details, 'sign-in failed')
  else log.info(details, 'sign-in refused')
  return `/sign-in/oidc?${new URLSearchParams({ problem: code, return: returnTo })}`
}
