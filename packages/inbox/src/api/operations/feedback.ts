import { z } from 'zod'
import type { FeedbackRow } from '../../queries/feedback.ts'
import { errorTitle } from '../../web/error-title.ts'
import { defineOperation } from '../operation.ts'
import { page, toView, view } from '../params.ts'
import { Next, pick, Time, Total, toTime } from '../results.ts'

const Feedback = z.object({
  id: z.int(),
  project: z.int(),
  at: Time,
  name: z.string().optional(),
  email: z.string().optional(),
  message: z.string(),
  page: z.string().optional().describe('Address of the page, without query'),
  event: z.object({ id: z.string(), issue: z.int(), title: z.string(), url: z.url() }).optional()
})

const toFeedback = ({ event, ...row }: FeedbackRow, origin: string): z.input<typeof Feedback> =>
  pick(Feedback, {
    ...row,
    at: toTime(row.at),
    page: row.url,
    event: event && {
      id: event.eventId,
      issue: event.issue,
      title: errorTitle(event),
      url: `${origin}/inbox/issues/${event.issue}?event=${event.eventId}`
    }
  })

export const feedbackOperations = {
  listFeedback: defineOperation({
    summary: 'List feedback of visitors, newest first',
    scope: 'read',
    input: z.object({
      ...view,
      query: z.string().max(500).optional().describe('Words in message, name, mail address or page'),
      ...page
    }),
    output: z.object({ feedback: z.array(Feedback), total: Total, next: Next }),
    async run({ inbox, origin }, { query, limit, cursor, ...rest }) {
      const { feedback, total, next } = await inbox.queries.listFeedback({ view: toView(rest), query, limit, cursor })
      return { feedback: feedback.map((row) => toFeedback(row, origin)), total, next }
    },
    tool: { name: 'list_feedback', description: 'Lists what visitors wrote about errors and pages, newest first.' }
  })
}
