import {
  createOidc,
  OIDC_PROBLEMS,
  OidcError,
  PENDING_AGE,
  toGroups,
  type PendingSignIn
} from '@hull/common/http/oidc.ts'
import { originOf } from '@hull/common/http/request.ts'
import type {} from '@hull/shell'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as openid from 'openid-client'
import type { Visit } from '../access/access.ts'
import { toGrants } from '../access/group-roles.ts'
import { MAX_NAME_LENGTH, toPersonName } from '../access/person-name.ts'
import { toReturnTo } from '../access/return-to.ts'
import { OIDC_CALLBACK_PATH, OIDC_PATH, OIDC_SIGN_OUT_PATH, SIGN_IN_PATH, SIGN_OUT_PATH } from '../addresses.ts'
import { InboxPersonRemoved, InboxRoleMissing } from '../errors.ts'
import type { InboxOidcOptions } from '../settings.ts'

declare module '@hull/shell' {
  interface SessionData {
    /** Sign-ins to the inbox at its provider that have begun, one for each tab. */
    inboxSignIns?: PendingSignIn[]
  }
}

export interface InboxOidcPluginOptions extends InboxOidcOptions {
  /** Origin that visitors use. @default the request's */
  baseUrl?: string | undefined
  /** Prefix of all addresses of the application. */
  basePath: string
}

/** A session holds 3,500 characters. */
const MAX_PENDING = 3
const MAX_RETURN_LENGTH = 300

/** Signs people in to the inbox at a provider of OpenID Connect. @see docs/decisions/085-people-of-the-inbox.md */
export default async function inboxOidc(app: FastifyInstance, options: InboxOidcPluginOptions): Promise<void> {
  const { baseUrl, basePath, claim, roles, ...client } = options
  const oidc = createOidc(openid, client)
  const toUrl = (request: FastifyRequest, path: string) => originOf(request, baseUrl) + basePath + path

  app.get(OIDC_PATH, async function startSignIn(request, reply) {
    const returnTo = toReturnTo(searchOf(request))
    try {
      const redirectUri = toUrl(request, OIDC_CALLBACK_PATH)
      const { url, pending } = await oidc.begin({
        redirectUri,
        returnTo: returnTo.length <= MAX_RETURN_LENGTH ? returnTo : '/inbox'
      })
      request.session.set('inboxSignIns', [...readPending(request).slice(1 - MAX_PENDING), pending])
      return reply.redirect(url, 303)
    } catch (error) {
      return reply.redirect(refuse(request, error, returnTo), 303)
    }
  })

  app.get(OIDC_CALLBACK_PATH, async function completeSignIn(request, reply) {
    const search = searchOf(request)
    const all = readPending(request)
    const pending = all.find(({ state }) => state === search.get('state'))
    const others = all.filter((other) => other !== pending)
    if (pending) request.session.set('inboxSignIns', others)
    const returnTo = pending?.returnTo ?? '/inbox'
    try {
      const { claims } = await oidc.complete(search, pending)
      // The subject is unique for its issuer only. A mail address may be given to another person.
      const subject = `${claims.iss} ${claims.sub}`
      const grants = toGrants(toGroups(claims, claim), roles)
      if (!grants) {
        await app.inbox!.changes.withdrawGroupRoles({ subject })
        throw new InboxRoleMissing()
      }
      const name = [claims.name, claims.email, claims.sub].map(readName).find((text) => text !== undefined) ?? 'Unnamed'
      await app.inboxAccess.signInExternally(toVisit(request, reply), {
        subject,
        name,
        ...grants
      })
      return reply.redirect(returnTo, 303)
    } catch (error) {
      return reply.redirect(refuse(request, error, returnTo), 303)
    }
  })

  app.get(OIDC_SIGN_OUT_PATH, async function signOutAtProvider(request, reply) {
    try {
      return reply.redirect((await oidc.signOutUrl(toUrl(request, SIGN_OUT_PATH))) ?? SIGN_OUT_PATH, 303)
    } catch (error) {
      return reply.redirect(refuse(request, error, '/inbox'), 303)
    }
  })
}

const searchOf = ({ url }: FastifyRequest) => new URL(url, 'http://here.invalid').searchParams

/** Sign-ins of this browser that have begun, without those that took too long. */
const readPending = ({ session }: FastifyRequest) =>
  (session.get('inboxSignIns') ?? []).filter(({ began }) => Date.now() - began <= PENDING_AGE)

/** Providers send an empty name for people who have entered none. */
const readName = (claim: unknown): string | undefined =>
  typeof claim === 'string' ? toPersonName(claim.slice(0, MAX_NAME_LENGTH)) : undefined

const toVisit = ({ cookies, headers, ip: address }: FastifyRequest, reply: FastifyReply): Visit => ({
  cookies,
  headers,
  address,
  setCookie: (name, value, attributes) => void reply.setCookie(name, value, attributes),
  setHeader: (name, value) => void reply.header(name, value)
})

/** Logs the reason without tokens, and returns the address of the page that shows it: the query of this one has a code. */
function refuse({ log }: FastifyRequest, error: unknown, returnTo: string): string {
  let code: string
  if (error instanceof OidcError) {
    ;({ code } = error)
    const details = { code, reason: error.describe() }
    if (OIDC_PROBLEMS[error.code][0] >= 500) log.error(details, 'sign-in to the inbox failed')
    else log.info(details, 'sign-in to the inbox refused')
  } else if (error instanceof InboxRoleMissing || error instanceof InboxPersonRemoved) {
    ;({ code } = error)
    log.info({ code }, 'sign-in to the inbox refused')
  } else throw error
  return `${SIGN_IN_PATH}?${new URLSearchParams({ problem: code, return: returnTo })}`
}
