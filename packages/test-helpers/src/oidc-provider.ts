import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import type { Test } from 'tap'

export const CLIENT = { id: 'web', secret: 'the secret of the client' }

/** Name and groups of every account; its id is the login. */
const CLAIMS = { name: 'Ada Lovelace', groups: ['web-admins', 'others'] }

/** Changes an answer of the provider. */
export type Tamper = (ctx: KoaContextWithOIDC) => unknown

export interface SigningKey {
  kid: string
  key: KeyObject
}

export const createKey = (kid: string): SigningKey => ({
  kid,
  key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs claims as an ID token. */
export function signToken(claims: object, { kid, key }: SigningKey): string {
  const text = `${encode({ alg: 'RS256', kid })}.${encode(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
}

/** Claims of a token, not verified. */
export const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

/** Seconds. With the defaults, the provider prints a notice for each. */
const TTL = { Interaction: 3_600, Session: 3_600, Grant: 3_600, AccessToken: 3_600, IdToken: 3_600 }

/**
 * Starts a real provider, closed with the test. Its development pages accept any login and password.
 * @param origins of the applications, read at the first request
 */
export async function startOidcProvider(t: Test, origins: readonly string[]) {
  const server = createServer((request, response) => (handle ??= createHandler())(request, response))
  let handle: RequestListener | undefined
  // Otherwise a connection may end at the moment of its next use.
  server.keepAliveTimeout = 600_000
  server.listen(0, 'localhost')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const signingKey = createKey('current')
  const state: { tamper?: Tamper | undefined; isDown: boolean } = { isDown: false }
  return { issuer, signingKey, state }

  function createHandler() {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: origins.map((origin) => `${origin}/sign-in/oidc/callback`),
          post_logout_redirect_uris: origins.map((origin) => `${origin}/`)
        }
      ],
      jwks: { keys: [{ ...signingKey.key.export({ format: 'jwk' }), kid: signingKey.kid, use: 'sig', alg: 'RS256' }] },
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...CLAIMS }) }),
      claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email'] },
      cookies: { keys: ['a key for the cookies of tests'] },
      ttl: TTL
    })
    provider.use(async (ctx, next) => {
      if (state.isDown) {
        ctx.status = 503
        return
      }
      await next()
      // A font from another server.
      if (typeof ctx.body === 'string') ctx.body = ctx.body.replace(/@import url\([^)]+\);/, '')
      state.tamper?.(ctx as unknown as KoaContextWithOIDC)
    })
    return provider.callback()
  }
}
