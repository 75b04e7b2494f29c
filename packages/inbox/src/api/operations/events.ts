import { z } from 'zod'
import type { EventRow, EventView } from '../../queries/issues/event-types.ts'
import { toMarkdown } from '../../web/view-models/markdown.ts'
import { defineOperation } from '../operation.ts'
import { IssueId, limit, page } from '../params.ts'
import { Next, pick, Time, toTime } from '../results.ts'

const Event = z.object({
  id: z.string().describe('Event id: 32 hex digits'),
  at: Time,
  release: z.string().optional(),
  environment: z.string(),
  url: z.string().optional(),
  browser: z.string().optional(),
  traceId: z.string().optional(),
  hasPayload: z.boolean().describe('Whether the details of the event are stored')
})

const toEvent = (row: EventRow): z.input<typeof Event> => pick(Event, { ...row, id: row.eventId, at: toTime(row.at) })

const EventWithDetail = Event.extend({
  detail: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Exceptions, breadcrumbs, tags and request as the inbox stores them; times are milliseconds'),
  feedback: z.array(
    z.object({ name: z.string().optional(), email: z.string().optional(), message: z.string(), at: Time })
  )
})

const toEventWithDetail = ({ row, detail, feedback }: EventView): z.input<typeof EventWithDetail> => ({
  ...toEvent(row),
  detail: detail && { ...detail },
  feedback: feedback.map(({ name, email, message, at }) => ({ name, email, message, at: toTime(at) }))
})

const Tag = z.object({
  name: z.string(),
  values: z
    .array(z.object({ value: z.string(), events: z.int(), share: z.number().describe('From 0 to 1') }))
    .describe('Most frequent first'),
  others: z.int().describe('Events with values that are not listed')
})

const EventId = z.object({
  ...IssueId.shape,
  event: z.string().max(64).describe('Event id, or `latest` for the newest whose details are stored')
})

export const eventOperations = {
  listEvents: defineOperation({
    summary: 'List events of an issue, newest first',
    scope: 'read',
    input: z.object({
      ...IssueId.shape,
      query: z
        .string()
        .max(1_000)
        .optional()
        .describe('Search such as `release:1.4.2 tag:colour=red words`; all events by default'),
      ...page
    }),
    output: z.object({ events: z.array(Event), next: Next }),
    async run({ inbox }, { id, query, limit, cursor }) {
      const { events, next } = await (query === undefined
        ? inbox.queries.listEvents({ id, limit, cursor })
        : inbox.queries.findEvents({ id, query, limit, cursor }))
      return { events: events.map(toEvent), next }
    }
  }),

  getEvent: defineOperation({
    summary: 'Read an event of an issue',
    scope: 'read',
    input: EventId,
    output: EventWithDetail,
    run: async ({ inbox }, { id, event }) =>
      toEventWithDetail(await inbox.queries.getEvent({ id, eventId: toEventId(event) })),
    tool: {
      name: 'read_issue',
      description:
        'Reads an issue and one of its events as Markdown: stack with source lines, local variables, breadcrumbs, request, tags, contexts.',
      async run({ inbox, origin }, { id, event }) {
        const [issue, view] = await Promise.all([
          inbox.queries.getIssue({ id }),
          inbox.queries.findEvent({ id, eventId: toEventId(event) })
        ])
        return toMarkdown(issue, view, `${origin}/inbox/issues/${id}`, { isWhole: true })
      }
    }
  }),

  listTags: defineOperation({
    summary: 'List the tags of an issue with their values by share',
    scope: 'read',
    input: z.object({
      ...IssueId.shape,
      values: limit.optional().describe('Maximum values of each tag; 10 by default')
    }),
    output: z.object({ tags: z.array(Tag) }),
    async run({ inbox }, { id, values }) {
      await inbox.queries.getIssue({ id })
      return { tags: await inbox.queries.listTags({ id, values }) }
    },
    tool: {
      name: 'list_tags',
      description:
        'Lists the tags of an issue, such as release, browser and os, with the values of its events by share.'
    }
  })
}

const toEventId = (event: string) => (event === 'latest' ? undefined : event)
