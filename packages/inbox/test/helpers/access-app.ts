import { join } from 'node:path'
import Fastify, { type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Test } from 'tap'
import { createFolder } from '@hull/test-helpers/folder.ts'
import telemetry from '../../../monitoring/src/plugins/telemetry.ts'
import session from '../../../shell/src/plugins/session.ts'
import type { Visit } from '../../src/access/access.ts'
import { requireAdmin, requirePerson } from '../../src/access/guard.ts'
import inboxAccess, { type InboxAccessOptions } from '../../src/plugins/inbox-access.ts'
import type { Inbox } from '../../src/store/inbox.ts'
import { openInbox } from '../../src/store/open.ts'

export const SECRET = 'a secret for tests, of forty characters.'
export const PASSWORD = 'correct horse battery staple'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const log = { info() {}, warn() {}, error() {} }

export interface AccessAppOptions extends Partial<InboxAccessOptions> {
  /** Whether the application has an inbox. @default true */
  stores?: boolean
  folder?: string
  /** @default an inbox that is opened in the folder */
  inbox?: Inbox
}

/** Creates an application with the sign-in of the inbox, and with routes that call its functions. */
export async function createAccessApp(
  t: Test,
  { stores = true, folder = createFolder(t), inbox: given, ...options }: AccessAppOptions = {}
) {
  const printed: string[] = []
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'trace', stream: { write: (line: string) => lines.push(line) } } })
  t.teardown(() => app.close())
  const inbox = stores ? (given ?? (await openTestInbox(folder))) : null
  await app.register(telemetry, { environment: 'test', release: '1', sampleRate: 0 })
  await app.register(session, { secret: SECRET })
  await app.register(fp(async (app) => void app.decorate('inbox', inbox), { name: 'inbox' }))
  app.addHook('onClose', () => inbox?.close())
  await app.register(inboxAccess, {
    secret: SECRET,
    local: true,
    host: '127.0.0.1',
    print: (text) => printed.push(text),
    ...options
  })
  const { inboxAccess: access } = app

  app.get('/inbox/who', async (request) => requirePerson(request))
  app.get('/inbox/admin', async (request) => requireAdmin(request))
  app.get('/inbox/out', async (request, reply) => access.signOut(toVisit(request, reply)))
  app.get<{ Querystring: { token?: string } }>('/inbox/sign-in', async ({ query }) => access.isLinkGood(query.token))
  app.get<{ Querystring: { token?: string } }>('/inbox/by-link', async (request, reply) =>
    access.signInByLink(toVisit(request, reply), request.query.token)
  )
  app.get<{ Querystring: { name?: string; password?: string } }>('/inbox/by-password', async (request, reply) => {
    const { name = 'Ada', password = '' } = request.query
    return access.signInByPassword(toVisit(request, reply), { name, password })
  })
  app.get<{ Querystring: { token?: string } }>('/inbox/by-invitation', async (request, reply) =>
    access.acceptInvitation(toVisit(request, reply), { token: request.query.token, name: 'Vera' })
  )
  const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '203.0.113.1') =>
    app.inject({ url, headers: { 'user-agent': FIREFOX, ...headers }, remoteAddress })
  const byPassword = (password = PASSWORD, headers = {}, remoteAddress?: string) =>
    get(`/inbox/by-password?password=${encodeURIComponent(password)}`, headers, remoteAddress)
  /**
   * Listens.
   * @returns the token of the printed sign-in link
   */
  const start = async () => {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return /token=([\w-]*)/.exec(printed.join('\n'))?.[1]
  }
  return { app, inbox, access, get, byPassword, start, printed, lines }
}

/** Opens an inbox in a folder. */
export const openTestInbox = (folder: string) =>
  openInbox({
    file: join(folder, 'inbox.db'),
    maxBytes: 2 ** 30,
    retentionDays: 30,
    release: '1',
    log
  })

const toVisit = (request: FastifyRequest, reply: { setCookie: unknown; header: unknown }) =>
  ({
    cookies: request.cookies,
    headers: request.headers,
    address: request.ip,
    setCookie: (...cookie: unknown[]) => (reply.setCookie as (...cookie: unknown[]) => void).apply(reply, cookie),
    setHeader: (...header: unknown[]) => (reply.header as (...header: unknown[]) => void).apply(reply, header)
  }) as unknown as Visit

/** Returns the cookie that a response sets, as a request sends it. */
export const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie']).split(';')[0]!
