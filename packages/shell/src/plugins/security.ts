import { randomBytes } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import {
  addHashes,
  addNonce,
  addNonceToHeader,
  BASE_POLICY,
  formatCsp,
  mergeCsp,
  type Directives
} from '../http/csp.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Returns the nonce of this document, which its content security policy then allows. Created at the first call. */
    useNonce: () => string
  }
}

export interface SecurityOptions {
  /** Sources to add to the content security policy. `'none'` clears a directive. */
  csp?: Directives
  /**
   * Additional origins to which an action may redirect, for `form-action`.
   * @default none
   */
  redirectOrigins?: readonly string[]
  /**
   * Sends HSTS and upgrades insecure requests: visitors use https.
   * @default false
   */
  https?: boolean
  /**
   * Allows what Vite's client needs.
   * @default false
   */
  dev?: boolean
  /** Address of the built files, if another server has them: its origin is allowed. @default none */
  assetsUrl?: string
  /** Inline scripts of documents, whose hashes the policy allows. @default none */
  inlineScripts?: readonly string[]
}

/** Headers of every response. Disables permissions that the shell does not use. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin'
}

/** One year, as the preload list requires. Subdomains are the team's own decision. */
const HSTS = 'max-age=31536000'

/** Placeholder of the nonce in the prepared policy. */
const NONCE_MARK = "'nonce-'"

/** Vite's client waits for a restarted server in a worker that it creates from a blob. */
const DEV_POLICY: Directives = { 'worker-src': ['blob:'] }

/** Everything that a build may contain and load. */
const toAssetsPolicy = (origin: string): Directives =>
  Object.fromEntries(
    ['script-src', 'style-src', 'img-src', 'font-src', 'media-src', 'manifest-src', 'connect-src'].map((name) => [
      name,
      [origin]
    ])
  )

/** Sets the security headers of every response, and a nonce for documents that need one. */
export default fp<SecurityOptions>(
  async function security(
    app,
    { csp = {}, redirectOrigins = [], https = false, dev = false, inlineScripts = [], assetsUrl }
  ) {
    let policy = mergeCsp(BASE_POLICY, { 'form-action': [...redirectOrigins] })
    if (assetsUrl !== undefined) policy = mergeCsp(policy, toAssetsPolicy(new URL(assetsUrl).origin))
    policy = mergeCsp(policy, csp)
    if (dev) policy = mergeCsp(policy, DEV_POLICY)
    if (https) policy = { ...policy, 'upgrade-insecure-requests': [] }
    policy = addHashes(policy, inlineScripts)
    const headers = {
      'content-security-policy': formatCsp(policy),
      ...HEADERS,
      ...(https ? { 'strict-transport-security': HSTS } : {})
    }
    const aroundNonce = formatCsp(addNonce(policy, NONCE_MARK)).split(NONCE_MARK)

    app.addHook('onRequest', function setSecurityHeaders(_request, reply, done) {
      reply.headers(headers)
      done()
    })

    const nonces = new WeakMap<FastifyReply, string>()
    app.decorateReply('useNonce', function useNonce(this: FastifyReply): string {
      let nonce = nonces.get(this)
      if (nonce === undefined) {
        nonce = randomBytes(16).toString('base64url')
        nonces.set(this, nonce)
        const source = `'nonce-${nonce}'`
        const own = this.getHeader('content-security-policy')
        // A page, or a hook, may have set another policy, or removed it.
        if (own === headers['content-security-policy']) this.header('content-security-policy', aroundNonce.join(source))
        else if (own !== undefined) this.header('content-security-policy', addNonceToHeader(String(own), source))
      }
      return nonce
    })
  },
  { name: 'security', fastify: '5.x' }
)
