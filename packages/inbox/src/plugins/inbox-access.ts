import type { AddressInfo } from 'node:net'
import fp from 'fastify-plugin'
import type { InboxAccess } from '../access/access.ts'
import { CLOSED } from '../access/closed.ts'
import { isInboxPath, isSecretPath, SIGN_IN_PATH } from '../addresses.ts'
import type { Inbox } from '../store/inbox.ts'
import { pathOf } from '@hull/common/http/request.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Who may see the inbox. Guards ask by `packages/inbox/src/access/guard.ts`. */
    inboxAccess: InboxAccess
  }
}

export interface InboxAccessOptions {
  /** Lets whoever has it in, as an admin. @default at a local start a link is printed */
  password?: string
  /** Signs the application's sessions; the fingerprint of the password is keyed with it. */
  secret: string
  /** The application is for this machine alone. */
  local: boolean
  /** Name or address that is listened on. */
  host: string
  /** Origin visitors use. @default where it listens */
  baseUrl?: string
  /** Where the link goes that lets one in. @default standard output */
  print?: (text: string) => void
}

/** Lets people into the inbox, and keeps what they see there to them. What that takes is loaded where there is one. */
export default fp<InboxAccessOptions>(
  async function inboxAccess(app, { password, secret, local, host, baseUrl, print = printLine }) {
    const { inbox } = app
    const access = inbox ? await open(inbox) : CLOSED
    app.decorate('inboxAccess', access)
    // Without an inbox too: a browser may come from one, with what still lets it in there.
    app.secretCookies.add('inbox').add('__Host-inbox')

    app.addHook('onRequest', function keepInboxPrivate(request, reply, done) {
      const path = pathOf(request.url)
      if (isInboxPath(path)) {
        reply.header('cache-control', 'private, no-store').header('x-robots-tag', 'noindex')
        if (isSecretPath(path)) {
          request.isSecret = true
          // Not `no-referrer`: with it a browser posts a form from nowhere.
          reply.header('referrer-policy', 'strict-origin')
        }
      }
      done()
    })

    app.addHook('onListen', async function tellTheWayIn() {
      const token = access.takeLinkToken()
      if (token !== undefined) {
        const { port } = app.server.address() as AddressInfo
        const origin = baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
        print(`Sign in to the inbox (single use, 15 min): ${origin}${SIGN_IN_PATH}?token=${token}`)
      } else if (inbox && !access.isOpen) {
        app.log.info('the inbox stores errors, but nobody can open it: set INBOX_PASSWORD to open /inbox')
      }
    })

    async function open(inbox: Inbox): Promise<InboxAccess> {
      const { createInboxAccess } = await import('../access/access.ts')
      return createInboxAccess({
        inbox,
        password,
        secret,
        local,
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
