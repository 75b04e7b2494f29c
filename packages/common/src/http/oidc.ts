import type * as openid from 'openid-client'
import { HOUR, MINUTE } from '../time.ts'

/*
 * Sign-in by OpenID Connect: authorization code flow with PKCE, state and nonce. Does not depend on Fastify or on how an
 * application keeps its sessions. The application brings openid-client, so nobody else has to install it.
 */

/** Reason why nobody was signed in: status and sentence for the visitor. */
export const OIDC_PROBLEMS = {
  SIGN_IN_STATE: [
    400,
    'This sign-in was not begun in this browser, was already used, or took longer than ten minutes.'
  ],
  SIGN_IN_CODE: [400, 'The sign-in service did not accept this sign-in: it was already used, or it has expired.'],
  SIGN_IN_DENIED: [403, 'The sign-in was cancelled.'],
  SIGN_IN_ISSUER: [502, 'The answer did not come from the configured sign-in service.'],
  SIGN_IN_TOKEN: [502, 'The answer of the sign-in service is not valid.'],
  SIGN_IN_CLOCK: [502, 'The clocks of this server and of the sign-in service differ.'],
  SIGN_IN_PROVIDER: [503, 'The sign-in service cannot be reached. Try again in a moment.']
} as const satisfies Record<string, [status: number, message: string]>

/** Code of a failed sign-in. docs/sign-in.md lists causes and remedies. */
export type OidcCode = keyof typeof OIDC_PROBLEMS

/** The provider, and this application as its client. */
export interface OidcOptions {
  /** Issuer, such as `https://login.example`. http is accepted for this machine only. */
  issuer: string
  /** Id of this client at the provider. */
  clientId: string
  /** Secret of this client. @default none: a public client, which PKCE alone protects */
  clientSecret?: string | undefined
  /** Scopes to request, separated by spaces. @default 'openid profile email' */
  scope?: string
  /** Seconds for each answer of the provider. @default 10 */
  timeout?: number
}

/** A sign-in that has begun. It is kept in the visitor's browser, signed, until the provider sends the visitor back. */
export interface PendingSignIn {
  state: string
  nonce: string
  /** Verifier of PKCE (RFC 7636). */
  verifier: string
  /** Absolute URL of the route that calls `complete`, as registered at the provider. */
  redirectUri: string
  /** Path to open afterwards. */
  returnTo: string
  /** Whether the visitor wants to stay signed in. */
  remember?: boolean
  /** Milliseconds since the epoch. */
  began: number
}

/** The person whom the provider has signed in: identified by `claims.iss` and `claims.sub`, never by name or mail address. */
export interface OidcIdentity {
  /** Claims of the ID token, and of the provider's UserInfo, where most providers have name and groups. */
  claims: openid.IDToken
  /** For `signOutUrl`. */
  idToken: string
}

/** Thrown if nobody is signed in. The cause may contain tokens: do not log it, but {@link describe} it. */
export class OidcError extends Error {
  override readonly name = 'OidcError'
  readonly code: OidcCode

  constructor(code: OidcCode, options?: ErrorOptions) {
    super(OIDC_PROBLEMS[code][1], options)
    this.code = code
  }

  /** The cause in words, for the log. */
  describe(): string {
    const parts: unknown[] = []
    let { cause } = this
    for (; cause instanceof Error; cause = cause.cause) {
      const { message, error, error_description: description } = cause as Error & Record<string, unknown>
      parts.push(message, error, description)
    }
    // A wrong client secret is a challenge with parameters (RFC 6750 §3).
    if (Array.isArray(cause)) parts.push((cause as openid.WWWAuthenticateChallenge[])[0]?.parameters.error)
    return parts.filter((part) => typeof part === 'string').join(': ')
  }
}

/** Milliseconds for which the provider's addresses are kept. openid-client keeps the keys for five minutes. */
const DISCOVERY_AGE = HOUR

/** Milliseconds from the beginning of a sign-in until the provider sends the visitor back. */
export const PENDING_AGE = 10 * MINUTE

/** Maximum seconds between the provider's clock and ours. A guess. */
const CLOCK_TOLERANCE = 60

/**
 * Maximum seconds since an ID token was issued. Entra ID dates each one back by five minutes, for clients whose clocks
 * are behind. The same as in AppAuth.
 */
const MAX_TOKEN_AGE = 600

/** Maximum bytes of an answer of the provider. A guess: keys and claims have some kilobytes. */
const MAX_ANSWER = 1024 ** 2

type OpenidClient = typeof openid

/** Return value of {@link createOidc}. */
export type Oidc = ReturnType<typeof createOidc>

/**
 * Signs people in at a provider of OpenID Connect: `begin` returns the address to send the visitor to,
 * `complete` verifies the provider's answer, and `signOutUrl` returns the address of its sign-out. The provider is contacted at the first sign-in, not here.
 * @param openid the module openid-client, version 6
 * @param now milliseconds since the epoch
 */
export function createOidc(openid: OpenidClient, options: OidcOptions, now: () => number = Date.now) {
  const { issuer, clientId, clientSecret, scope = 'openid profile email', timeout = 10 } = options
  let found: { config: Promise<openid.Configuration>; at: number } | undefined

  return { begin, complete, signOutUrl }

  /** Returns the provider's address to send the visitor to, and the pending sign-in to keep. @throws OidcError */
  async function begin(start: Pick<PendingSignIn, 'redirectUri' | 'returnTo' | 'remember'>) {
    const config = await discover()
    const verifier = openid.randomPKCECodeVerifier()
    const pending = { ...start, verifier, state: openid.randomState(), nonce: openid.randomNonce(), began: now() }
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: start.redirectUri,
      scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256'
    })
    return { url: url.href, pending }
  }

  /**
   * Verifies the provider's answer, and returns the person.
   * @param search query of the request with which the provider sent the visitor back
   * @param pending the sign-in with the state of this query. Forget it before the call: it is good for one answer.
   * @throws OidcError
   */
  async function complete(search: URLSearchParams, pending: PendingSignIn | undefined): Promise<OidcIdentity> {
    if (!pending || search.get('state') !== pending.state || now() - pending.began > PENDING_AGE)
      throw new OidcError('SIGN_IN_STATE')
    const config = await discover()
    const answeredBy = search.get('iss')
    if (answeredBy !== null && answeredBy !== config.serverMetadata().issuer) throw new OidcError('SIGN_IN_ISSUER')
    try {
      const tokens = await openid.authorizationCodeGrant(config, new URL(`?${search}`, pending.redirectUri), {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true
      })
      const claims = tokens.claims()!
      // openid-client compares the end of the token's life only. The token was made for this request, a moment ago.
      const age = now() / 1_000 - claims.iat
      if (age < -CLOCK_TOLERANCE || age > MAX_TOKEN_AGE) throw new OidcError('SIGN_IN_CLOCK')
      const hasMore = config.serverMetadata().userinfo_endpoint !== undefined
      const more = hasMore ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
      return { claims: { ...more, ...claims }, idToken: tokens.id_token! }
    } catch (error) {
      throw toOidcError(error)
    }
  }

  /**
   * Returns the provider's address that ends its own session; undefined if it has none.
   * @param idToken of the sign-in; without it, most providers ask the person
   * @throws OidcError
   */
  async function signOutUrl(redirectUri: string, idToken?: string): Promise<string | undefined> {
    const config = await discover()
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined
    const parameters = {
      post_logout_redirect_uri: redirectUri,
      ...(idToken !== undefined && { id_token_hint: idToken })
    }
    return openid.buildEndSessionUrl(config, parameters).href
  }

  /** A failed discovery is not kept: the next sign-in tries again. */
  async function discover(): Promise<openid.Configuration> {
    if (!found || now() - found.at > DISCOVERY_AGE) found = { config: requestConfiguration(), at: now() }
    const { config } = found
    try {
      return await config
    } catch (error) {
      // Several sign-ins may wait for it.
      if (found?.config === config) found = undefined
      throw toOidcError(error)
    }
  }

  function requestConfiguration(): Promise<openid.Configuration> {
    const url = new URL(issuer)
    const isLocal = url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
    // Verifies the signature of the ID token too, although it comes from the provider itself.
    const execute = [openid.enableNonRepudiationChecks, ...(isLocal ? [openid.allowInsecureRequests] : [])]
    const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret)
    const metadata = { [openid.clockTolerance]: CLOCK_TOLERANCE }
    const settings = { execute, timeout, [openid.customFetch]: fetchLimited }
    return openid.discovery(url, clientId, metadata, authentication, settings)
  }
}

/** `fetch` whose answer fails when it is longer than {@link MAX_ANSWER}, also after it was decompressed. */
async function fetchLimited(url: string, init: openid.CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, init as RequestInit)
  let received = 0
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      received += chunk.length
      if (received > MAX_ANSWER) throw new Error(`the answer is longer than ${MAX_ANSWER} bytes`)
      controller.enqueue(chunk)
    }
  })
  return response.body ? new Response(response.body.pipeThrough(limit), response) : response
}

/** Codes of openid-client. Everything else is a provider that does not answer, or not as it should. */
const CODES: Record<string, OidcCode> = {
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: 'SIGN_IN_TOKEN',
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: 'SIGN_IN_CLOCK',
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: 'SIGN_IN_TOKEN',
  OAUTH_KEY_SELECTION_FAILED: 'SIGN_IN_TOKEN',
  OAUTH_INVALID_RESPONSE: 'SIGN_IN_TOKEN',
  OAUTH_PARSE_ERROR: 'SIGN_IN_TOKEN',
  OAUTH_UNSUPPORTED_OPERATION: 'SIGN_IN_TOKEN'
}

function toOidcError(cause: unknown): OidcError {
  if (cause instanceof OidcError) return cause
  const { code = '', error } = cause as { code?: string; error?: string }
  if (error === 'access_denied') return new OidcError('SIGN_IN_DENIED', { cause })
  if (error === 'invalid_grant') return new OidcError('SIGN_IN_CODE', { cause })
  if (isAboutIssuer(cause)) return new OidcError('SIGN_IN_ISSUER', { cause })
  if (isUnfinished(cause)) return new OidcError('SIGN_IN_PROVIDER', { cause })
  return new OidcError(CODES[code] ?? 'SIGN_IN_PROVIDER', { cause })
}

/** Whether the claim or attribute that differs, which the innermost cause names, is the issuer. */
function isAboutIssuer(error: unknown): boolean {
  if (error instanceof Error) return isAboutIssuer(error.cause)
  const { claim, attribute } = (error ?? {}) as { claim?: unknown; attribute?: unknown }
  return claim === 'iss' || attribute === 'issuer'
}

/**
 * Whether the connection was cut in the middle of an answer, which fetch calls terminated, or the time was up. To
 * openid-client, such an answer is no JSON.
 */
function isUnfinished(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'TimeoutError' || error.message === 'terminated' || isUnfinished(error.cause)
}

export interface RoleMapping {
  /** Claim with the groups of a person: a text, or a list. */
  claim: string
  /** Roles by group. Other groups have no role. */
  roles: Readonly<Record<string, string>>
}

/** Returns the roles of a person, each once. */
export function toRoles(claims: Readonly<Record<string, unknown>>, { claim, roles }: RoleMapping): string[] {
  const found = toGroups(claims, claim).filter((group) => Object.hasOwn(roles, group))
  return [...new Set(found.map((group) => roles[group]!))]
}

/**
 * Returns the groups of a person. A mail address counts as a group only if the provider does not call it unverified:
 * anybody can enter the address of another person.
 * @param claim that names them: a text, or a list
 */
export function toGroups(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  // Some providers write it as a text.
  if (claim === 'email' && String(claims['email_verified'] ?? true) !== 'true') return []
  return [claims[claim]].flat().filter((group) => typeof group === 'string')
}
