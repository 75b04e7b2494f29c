import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { createRateLimiter } from '@hull/common/http/rate-limiter.ts'
import { InboxTooManyScreens, InboxTooManySuggestions } from './errors.ts'
import { originOf, withoutTrailingSlash } from '@hull/common/http/request.ts'
import { notFound } from '@hull/common/outcomes.ts'
import { INBOX_PATH } from './addresses.ts'
import { requireProjectAdmin, requireReader } from './access/guard.ts'
import { toReach } from './access/reach.ts'
import { seesAll } from './access/roles.ts'
import { sendJson } from './send-json.ts'
import { toId } from './to-id.ts'
import type { Inbox } from './store/inbox.ts'
import { createLive } from './web/view-models/live.ts'
import { toMarkdown } from './web/view-models/markdown.ts'

interface OfIssue {
  Params: { id: string }
  Querystring: { event?: unknown }
}

interface OfSearch {
  Querystring: { text?: unknown; logs?: unknown; project?: unknown; issue?: unknown }
}

/** Suggestions that one person may request a minute. A guess: somebody who types fast causes five a second. */
const SUGGESTIONS_PER_MINUTE = 600

export interface InboxRoutesOptions {
  inbox: Inbox
  /** Counts the requests of a person at all replicas together. @default one replica */
  broadcast?: Broadcast
  /** Origin that visitors use. @default the request's */
  baseUrl?: string
  /** Prefix of all addresses of the application. @default none */
  basePath?: string
}

/** Routes of the inbox that are not pages: live news, and downloads. */
export default async function inboxRoutes(
  app: FastifyInstance,
  { inbox, broadcast, baseUrl, basePath = '' }: InboxRoutesOptions
) {
  const live = createLive({ inbox })
  // Open streams would keep the server from stopping. Browsers reconnect by themselves.
  app.drain.onStart(live.close)
  app.addHook('preClose', live.close)

  // Answers unknown paths of the inbox, on a route that is neither traced nor reported. This route is registered here
  // because it uses the error handler that is set at its registration; packages/inbox/src/plugins/inbox.ts is
  // registered before that.
  app.get(`${INBOX_PATH}/*`, async function refuseUnknown({ url }, reply) {
    if (withoutTrailingSlash(url)) return reply.callNotFound()
    notFound()
  })

  /*
   * Not @fastify/sse: all clients get the same kind of message, and the code with its limits is shorter than the
   * set-up.
   */
  const options = { compress: false, exposeHeadRoute: false } as const
  app.get<{ Querystring: { age?: unknown } }>('/inbox/live', options, async function sendNews(request, reply) {
    const { person } = await requireReader(request)
    const find = () => app.inboxAccess.findPerson(request.cookies)
    const isWelcome = async () => {
      const now = await find()
      // Somebody who now sees other projects connects again.
      return now !== undefined && seesAll(now) === seesAll(person)
    }
    // With the roles of the moment: they may change while the screen is open.
    const select = async (issues: number[]) => {
      const now = await find()
      return now ? (await toReach(inbox, now).queries.findProjects({ issues })).map(({ id }) => id) : []
    }
    const age = toAge(request.query.age)
    const news = live.open(person.person, isWelcome, age, seesAll(person) ? undefined : select)
    if (!news) {
      reply.header('retry-after', '60')
      throw new InboxTooManyScreens()
    }
    // keeps nginx from buffering the stream
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(news)
  })

  const takeSuggestion = createRateLimiter({
    perMinute: SUGGESTIONS_PER_MINUTE,
    replicas: broadcast && { broadcast, name: 'inbox-suggestions' }
  })
  app.get<OfSearch>('/inbox/suggestions', async function sendSuggestions(request, reply) {
    const { person, queries } = await requireReader(request)
    const wait = takeSuggestion(String(person.person))
    if (wait > 0) {
      reply.header('retry-after', String(Math.ceil(wait / 1_000)))
      throw new InboxTooManySuggestions()
    }
    const { text = '', logs, project, issue } = request.query
    if (typeof text !== 'string') notFound()
    const found = await queries.listSuggestions({
      text,
      ...(logs !== undefined && { isLogs: true }),
      ...(project !== undefined && { project: requireId(String(project)) }),
      ...(issue !== undefined && { issue: requireId(String(issue)) })
    })
    return sendJson(request, reply, found)
  })

  app.get<OfIssue>('/inbox/issues/:id/markdown', async function sendMarkdown(request, reply) {
    const { queries } = await requireReader(request)
    const { id, eventId } = wanted(request)
    const [issue, event] = await Promise.all([queries.getIssue({ id }), queries.findEvent({ id, eventId })])
    return asText(reply, toMarkdown(issue, event, `${originOf(request, baseUrl)}${basePath}/inbox/issues/${id}`))
  })

  app.get<OfIssue>('/inbox/issues/:id/payload', async function sendPayload(request, reply) {
    const { queries } = await requireReader(request)
    const { id, eventId } = wanted(request)
    const { project } = await queries.getIssue({ id })
    await requireProjectAdmin(request, project)
    const { detail } = await queries.getEvent({ id, eventId })
    if (!detail) notFound('The payload of this event was not stored.')
    return asText(reply, `${JSON.stringify(detail, null, 2)}\n`)
  })

  app.get<{ Params: { id: string } }>('/inbox/attachments/:id', async function sendAttachment(request, reply) {
    const { queries } = await requireReader(request)
    return sendFile(reply, await queries.getAttachment({ id: requireId(request.params.id) }))
  })
}

function wanted({ params: { id }, query: { event } }: FastifyRequest<OfIssue>) {
  if (event !== undefined && (typeof event !== 'string' || event.length > 64)) notFound('This event does not exist.')
  return { id: requireId(id), eventId: event }
}

/**
 * Parses an id without a schema: the first route with a schema would delay the server's start by a tenth of a second.
 */
const requireId = (text: string): number => toId(text) || notFound()

/** Parses the age of the page in milliseconds; undefined if it is not a valid number. */
const toAge = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** Sends plain text: the content is untrusted, and browsers must not render it as HTML. */
const asText = (reply: FastifyReply, text: string) => reply.type('text/plain; charset=utf-8').send(text)

type Attachment = Awaited<ReturnType<Inbox['queries']['getAttachment']>>

/** Sends an attachment as a download, without its own type and in a sandbox: the content is untrusted. */
function sendFile(reply: FastifyReply, file: Attachment): FastifyReply {
  if (!file)
    notFound(
      'This attachment does not exist. It is older than the retention period, was too large to store, or was deleted to make room.'
    )
  const plain = file.filename.replace(/[^\w.-]/g, '_').slice(0, 100)
  const whole = encodeURIComponent(file.filename.slice(0, 200).toWellFormed()).replace(/['()*]/g, toPercent)
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${whole}`)
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(Buffer.from(file.body))
}

const toPercent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
