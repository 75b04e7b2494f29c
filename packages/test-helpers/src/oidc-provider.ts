import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import type { Test } from 'tap'
import type { OidcCode } from '@hull/common/http/oidc.ts'

export const CLIENT = { id: 'web', secret: 'the secret of the client' }

/** Name and groups of every account; its id is the login. */
const CLAIMS = { name: 'Ada Lovelace', groups: ['web-admins', 'others'] }

/** Paths of the recipe for sign-in and of the inbox. */
const REDIRECT_PATHS = ['/sign-in/oidc/callback', '/inbox/sign-in/provider/callback']
const SIGNED_OUT_PATHS = ['/', '/inbox/sign-out']

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
  const state: { tamper?: Tamper | undefined; isDown: boolean; claims?: object } = { isDown: false }
  return { issuer, signingKey, state }

  function createHandler() {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: origins.flatMap((origin) => REDIRECT_PATHS.map((path) => origin + path)),
          post_logout_redirect_uris: origins.flatMap((origin) => SIGNED_OUT_PATHS.map((path) => origin + path))
        }
      ],
      jwks: { keys: [{ ...signingKey.key.export({ format: 'jwk' }), kid: signingKey.kid, use: 'sig', alg: 'RS256' }] },
      findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId, ...CLAIMS, ...state.claims }) }),
      claims: { openid: ['sub', 'groups'], profile: ['name'], email: ['email', 'email_verified'] },
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

export interface ProviderVisit {
  /** Origin of the application, to which the provider sends the visitor back. */
  origin: string
  /** @default 'ada' */
  login?: string
  /** Whether the visitor cancels. @default false */
  refuses?: boolean
}

/** Signs in at the provider, as a browser does. Returns the path of the application that it leads to. */
export async function signInAt(
  url: string,
  { origin, login = 'ada', refuses = false }: ProviderVisit
): Promise<string> {
  const jar = new Map<string, string>()
  const request = async (to: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(to, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } })
    for (const header of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!
      jar.set(name!, value!)
    }
    return response
  }
  let response = await request(url)
  for (;;) {
    const location = response.headers.get('location')
    if (location?.startsWith(origin)) return location.slice(origin.length)
    if (location) {
      response = await request(new URL(location, url).href)
      continue
    }
    const html = await response.text()
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    if (action === undefined) throw new Error(`the provider shows no form: ${response.status} ${html.slice(0, 2_000)}`)
    const prompt = /name="prompt" value="(\w+)"/.exec(html)![1]!
    response =
      prompt === 'consent' && refuses
        ? await request(/href="([^"]+abort)"/.exec(html)![1]!)
        : await request(action, { method: 'POST', body: new URLSearchParams({ prompt, login, password: 'any' }) })
  }
}

/** Replaces the ID token of the provider's next answer. */
const withToken = (change: (claims: Record<string, unknown>) => string): Tamper =>
  function tamper(ctx) {
    const body = ctx.body as { id_token?: string }
    if (ctx.path === '/token' && body.id_token) body.id_token = change(claimsOf(body.id_token))
  }
const seconds = (claims: Record<string, unknown>, by: number) => ({
  ...claims,
  iat: Number(claims.iat) + by,
  exp: Number(claims.exp) + by
})

/** Changes an ID token as Entra ID writes it: issued five minutes in the past, with the usual expiry. */
export const createBackdatedToken = (signingKey: SigningKey): Tamper =>
  withToken((claims) => {
    const issued = Number(claims.iat) - 300
    return signToken({ ...claims, iat: issued, nbf: issued }, signingKey)
  })

/** Responses of the provider that must sign nobody in, with the error code of the refusal. */
export function createHostileAnswers(signingKey: SigningKey): [name: string, code: OidcCode, tamper: Tamper][] {
  return [
    ['an unknown key', 'SIGN_IN_TOKEN', withToken((claims) => signToken(claims, createKey('unknown')))],
    ['another key of the same name', 'SIGN_IN_TOKEN', withToken((claims) => signToken(claims, createKey('current')))],
    ['no signature', 'SIGN_IN_TOKEN', withToken((claims) => `${signToken(claims, signingKey).replace(/[^.]+$/, '')}`)],
    ['another nonce', 'SIGN_IN_TOKEN', withToken((claims) => signToken({ ...claims, nonce: 'x' }, signingKey))],
    ['another audience', 'SIGN_IN_TOKEN', withToken((claims) => signToken({ ...claims, aud: 'x' }, signingKey))],
    [
      'no token',
      'SIGN_IN_TOKEN',
      (ctx) => ctx.path === '/token' && delete (ctx.body as { id_token?: string }).id_token
    ],
    [
      'another issuer',
      'SIGN_IN_ISSUER',
      withToken((claims) => signToken({ ...claims, iss: 'https://evil.example' }, signingKey))
    ],
    ['a clock five minutes ahead', 'SIGN_IN_CLOCK', withToken((claims) => signToken(seconds(claims, 300), signingKey))],
    [
      'a clock twenty minutes behind',
      'SIGN_IN_CLOCK',
      withToken((claims) => signToken(seconds(claims, -1_200), signingKey))
    ],
    ['an expired token', 'SIGN_IN_CLOCK', withToken((claims) => signToken(seconds(claims, -7_200), signingKey))],
    [
      'a person who differs from UserInfo',
      'SIGN_IN_TOKEN',
      withToken((claims) => signToken({ ...claims, sub: 'eve' }, signingKey))
    ],
    ['a page instead of a token', 'SIGN_IN_TOKEN', (ctx) => ctx.path === '/token' && (ctx.body = '<p>Hello</p>')]
  ]
}
