import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InboxTooManyScreens } from '../lib/errors.ts'
import { originOf } from '../lib/http/origin.ts'
import { notFound } from '../lib/common/outcomes.ts'
import { requireAdmin, requirePerson } from '../lib/inbox/access/guard.ts'
import type { Inbox } from '../lib/inbox/inbox.ts'
import { createLive } from '../lib/inbox/screens/live.ts'
import { toMarkdown } from '../lib/inbox/screens/markdown.ts'

const Id = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } }
} as const
const Event = { type: 'object', properties: { event: { type: 'string', maxLength: 64 } } } as const

const Age = { type: 'object', properties: { age: { type: 'integer', minimum: 0, maximum: 1e9 } } } as const

interface OfIssue {
  Params: { id: number }
  Querystring: { event?: string }
}

export interface InboxRoutesOptions {
  /** Origin visitors use. @default the request's */
  baseUrl?: string
}

/** What the inbox's screens need beside pages: news as it comes, and what is taken away from them as a file. */
export default async function inboxRoutes(app: FastifyInstance, { baseUrl }: InboxRoutesOptions) {
  const { inbox } = app
  if (!inbox) return
  const live = createLive({ inbox })
  // They would keep the server from stopping: a browser that is cut off asks again.
  app.drain.onStart(live.close)
  app.addHook('preClose', live.close)

  /* Not @fastify/sse: one kind of message to all, and its bounds, are less code than its set-up. */
  const options = { compress: false, exposeHeadRoute: false, schema: { querystring: Age } } as const
  app.get<{ Querystring: { age?: number } }>('/inbox/live', options, async function sendNews(request, reply) {
    const { person } = await requirePerson(request)
    const isWelcome = async () => (await app.inboxAccess.findPerson(request.cookies)) !== undefined
    const news = live.open(person, isWelcome, request.query.age)
    if (!news) {
      reply.header('retry-after', '60')
      throw new InboxTooManyScreens()
    }
    // nginx would keep it back until there is more
    return reply.type('text/event-stream').header('x-accel-buffering', 'no').send(news)
  })

  app.get<OfIssue>(
    '/inbox/issues/:id/markdown',
    { schema: { params: Id, querystring: Event } },
    async function sendMarkdown(request, reply) {
      await requirePerson(request)
      const { id, eventId } = wanted(request)
      const [issue, event] = await Promise.all([
        inbox.queries.getIssue({ id }),
        inbox.queries.getEvent({ id, eventId })
      ])
      const href = `${originOf(request, baseUrl)}/inbox/issues/${id}?event=${event.row.eventId}`
      return asText(reply, toMarkdown(issue, event, href))
    }
  )

  app.get<OfIssue>(
    '/inbox/issues/:id/payload',
    { schema: { params: Id, querystring: Event } },
    async function sendPayload(request, reply) {
      await requireAdmin(request)
      const { detail } = await inbox.queries.getEvent(wanted(request))
      if (!detail) notFound('The payload of this event was not kept.')
      return asText(reply, `${JSON.stringify(detail, null, 2)}\n`)
    }
  )

  app.get<{ Params: { id: number } }>(
    '/inbox/attachments/:id',
    { schema: { params: Id } },
    async function sendAttachment(request, reply) {
      await requirePerson(request)
      return sendFile(reply, await inbox.queries.getAttachment({ id: request.params.id }))
    }
  )
}

const wanted = ({ params: { id }, query: { event } }: FastifyRequest<OfIssue>) => ({ id, eventId: event })

/** As text whatever stands in it: no browser makes a page of what strangers sent. */
const asText = (reply: FastifyReply, text: string) => reply.type('text/plain; charset=utf-8').send(text)

type Attachment = Awaited<ReturnType<Inbox['queries']['getAttachment']>>

/** What strangers sent is never shown by a browser, only kept: without its type, and in a sandbox. */
function sendFile(reply: FastifyReply, file: Attachment): FastifyReply {
  if (!file) notFound('There is no such attachment: it is older than the retention, or was too large to be kept.')
  const plain = file.filename.replace(/[^\w.-]/g, '_').slice(0, 100)
  const whole = encodeURIComponent(file.filename.slice(0, 200).toWellFormed()).replace(/['()*]/g, toPercent)
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${plain}"; filename*=UTF-8''${whole}`)
    .header('content-security-policy', "sandbox; default-src 'none'")
    .send(Buffer.from(file.body))
}

const toPercent = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
