import type { AddressInfo } from 'node:net'
import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { createInboxAccess, type InboxAccess } from '../access/access.ts'
import { CLOSED } from '../access/closed.ts'
import { fingerprintPassword } from '../access/password.ts'
import { isInboxPath, isSecretPath, SIGN_IN_PATH } from '../addresses.ts'
import type { Inbox } from '../store/inbox.ts'
import { pathOf } from '@hull/common/http/request.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Access to the inbox. Guards use it through `packages/inbox/src/access/guard.ts`. */
    inboxAccess: InboxAccess
  }
}

export interface InboxAccessOptions {
  /** Password that signs anyone in as an admin. @default none: a local start prints a sign-in link */
  password?: string
  /** Host name of the provider at which people can sign in. @default none */
  provider?: string
  /**
   * Secret that signs the application's sessions; also the key of the password's fingerprint. Of several, the first
   * signs, and the others were used before.
   */
  secret: string | string[]
  /** Whether the application only serves this machine. */
  local: boolean
  /** Host name or address on which the server listens. */
  host: string
  /** Origin that visitors use. @default the address on which the server listens */
  baseUrl?: string
  /** Prefix of all addresses of the application. @default none */
  basePath?: string
  /** Counts failed sign-ins at all replicas together. @default one replica */
  broadcast?: Broadcast
  /** Receives the text with the sign-in link. @default writes to standard output */
  print?: (text: string) => void
}

/** Signs people in to the inbox, and keeps its pages private. */
export default fp<InboxAccessOptions>(
  async function inboxAccess(
    app,
    { password, provider, secret, local, host, baseUrl, basePath = '', broadcast, print = printLine }
  ) {
    const { inbox } = app
    const access = inbox ? open(inbox) : CLOSED
    app.decorate('inboxAccess', access)
    // Also without an inbox: a browser may still have cookies that are valid for another server with an inbox.
    for (const name of ['inbox', 'inbox-fresh'])
      app.secretCookies.add(name).add(`__Host-${name}`).add(`__Secure-${name}`)

    app.addHook('onRequest', function keepInboxPrivate(request, reply, done) {
      // Letters of an address may be encoded: /%69nbox leads to the same route.
      const { url } = request.routeOptions
      const path = url !== undefined && isInboxPath(url) ? url : pathOf(request.url)
      if (isInboxPath(path)) {
        reply.header('cache-control', 'private, no-store').header('x-robots-tag', 'noindex')
        if (isSecretPath(path)) {
          request.isSecret = true
          // Not `no-referrer`: with it, browsers send `Origin: null` with a form.
          reply.header('referrer-policy', 'strict-origin')
        }
      }
      done()
    })

    app.addHook('onListen', async function printSignInLink() {
      const token = access.takeLinkToken()
      if (token !== undefined) {
        const { port } = app.server.address() as AddressInfo
        const origin = baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
        print(`Sign in to the inbox (single use, 15 min): ${origin}${basePath}${SIGN_IN_PATH}?token=${token}`)
      } else if (inbox && !access.isOpen) {
        app.log.info(
          'the inbox stores errors, but nobody can open it: set INBOX_PASSWORD or INBOX_OIDC_ISSUER to open /inbox'
        )
      } else if (!inbox && (password ?? provider) !== undefined) {
        const setting = password === undefined ? 'INBOX_OIDC_ISSUER' : 'INBOX_PASSWORD'
        app.log.info(`${setting} has no effect, because there is no inbox: set INBOX=on to have one beside SENTRY_DSN`)
      }
    })

    function open(inbox: Inbox): InboxAccess {
      const [current, ...previous] = [secret].flat() as [string, ...string[]]
      if (password !== undefined && previous.length > 0) {
        const toFingerprint = (key: string) => fingerprintPassword(password, key)
        // Not awaited: the start does not depend on the database, and earlier fingerprints are accepted.
        inbox.changes
          .renewPasswordFingerprints({ to: toFingerprint(current), from: previous.map(toFingerprint) })
          .catch((err) => app.log.error({ err }, 'sessions of the previous SESSION_SECRET could not be kept'))
      }
      return createInboxAccess({
        inbox,
        password,
        provider,
        secret: current,
        otherSecrets: previous,
        local,
        basePath,
        broadcast,
        https: baseUrl?.startsWith('https:') ?? false,
        onError(err) {
          app.log.warn({ err }, 'the last use of an inbox session could not be stored')
        }
      })
    }
  },
  { name: 'inbox-access', fastify: '5.x', dependencies: ['inbox', 'session', 'telemetry'] }
)

const printLine = (text: string) => {
  process.stdout.write(`${text}\n`)
}
