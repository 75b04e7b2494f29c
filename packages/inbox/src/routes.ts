import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InboxTooManyScreens } from './errors.ts'
import { originOf, withoutTrailingSlash } from '@hull/common/http/request.ts'
import { notFound } from '@hull/common/outcomes.ts'
import { INBOX_PATH } from './addresses.ts'
import { requireAdmin, requirePerson } from './access/guard.ts'
import type { Inbox } from './store/inbox.ts'
import { createLive } from './web/view-models/live.ts'
import { toMarkdown } from './web/view-models/markdown.ts'

interface OfIssue {
  Params: { id: string }
  Querystring: { event?: unknown }
}

export interface InboxRoutesOptions {
  inbox: Inbox
  /** Origin visitors use. @default the request's */
  baseUrl?: string
}

/** What the inbox's screens need beside pages: news as it comes, and what is taken away from them as a file. */
export default async function inboxRoutes(app: FastifyInstance, { inbox, baseUrl }: InboxRoutesOptions) {
  const live = createLive({ inbox })
  // They would keep the server from stopping: a browser that is cut off asks again.
  app.drain.onStart(live.close)
  app.addHook('preClose', live.close)

  // Gives an address without a page a route that is not watched. Here, since a route has the error handler that was set
  // before it: packages/inbox/src/plugins/inbox.ts is registered earlier.
  app.get(`${INBOX_PATH}/*`, async function refuseUnknown({ url }, reply) {
    if (withoutTrailingSlash(url)) return reply.callNotFound()
    notFound()
  })

  /* Not @fastify/sse: one kind of message to all, and its bounds, are less code than its set-up. */
  const options = { compress: false, exposeHeadRoute: false } as const
  app.get<{ Querystring: { age?: unknown } }>('/inbox/live', options, async function sendNews(request, reply) {
    const { person } = await requirePerson(request)
    const isWelcome = async () => (await app.inboxAccess.findPerson(request.cookies)) !== undefined
    const news = live.open(person, isWelcome, toAge(request.query.age))
    if (!news) {
      reply.header('retry-after', '60')
      throw new InboxTooManyScreens()
    }
    // nginx would keep it back until there is more
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(news)
  })

  app.get<OfIssue>('/inbox/issues/:id/markdown', async function sendMarkdown(request, reply) {
    await requirePerson(request)
    const { id, eventId } = wanted(request)
    const [issue, event] = await Promise.all([inbox.queries.getIssue({ id }), inbox.queries.getEvent({ id, eventId })])
    const href = `${originOf(request, baseUrl)}/inbox/issues/${id}?event=${event.row.eventId}`
    return asText(reply, toMarkdown(issue, event, href))
  })

  app.get<OfIssue>('/inbox/issues/:id/payload', async function sendPayload(request, reply) {
    await requireAdmin(request)
    const { detail } = await inbox.queries.getEvent(wanted(request))
    if (!detail) notFound('The payload of this event was not stored.')
    return asText(reply, `${JSON.stringify(detail, null, 2)}\n`)
  })

  app.get<{ Params: { id: string } }>('/inbox/attachments/:id', async function sendAttachment(request, reply) {
    await requirePerson(request)
    return sendFile(reply, await inbox.queries.getAttachment({ id: toId(request.params.id) }))
  })
}

function wanted({ params: { id }, query: { event } }: FastifyRequest<OfIssue>) {
  if (event !== undefined && (typeof event !== 'string' || event.length > 64)) notFound('This event does not exist.')
  return { id: toId(id), eventId: event }
}

/** By hand: the first route with a schema would cost the start of the server a tenth of a second. */
function toId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) notFound()
  return Number(text)
}

/** How long ago, in milliseconds, the page was made; what is no such number says nothing. */
const toAge = (text: unknown): number | undefined =>
  typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : undefined

/** As text whatever stands in it: no browser makes a page of what strangers sent. */
const asText = (reply: FastifyReply, text: string) => reply.type('text/plain; charset=utf-8').send(text)

type Attachment = Awaited<ReturnType<Inbox['queries']['getAttachment']>>

/** What strangers sent is never shown by a browser, only kept: without its type, and in a sandbox. */
function sendFile(reply: FastifyReply, file: Attachment): FastifyReply {
  if (!file)
    notFound('This attachment does not exist. It is older than the retention period, or was too large to store.')
  const plain = file.filename.replace(/[^\w.-]/g, '_').slice(0, 100)
  const whole = encodeURIComponent(file.filename.slice(0, 200).toWellFormed()).replace(/['()*]/g, toPercent)
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${whole}`)
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(Buffer.from(file.body))
}

const toPercent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
