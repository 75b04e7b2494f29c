import { z } from 'zod'
import { DAY } from '@hull/common/time.ts'
import { InboxRequestInvalid } from '../errors.ts'
import type { View } from '../store/model.ts'
import { RANGES, type RangeName } from '../web/view.ts'

/* Parameters that several operations of the API have. */

/** Maximum rows of a page. */
const MAX_ROWS = 100

/** Longest time range in milliseconds: more than any retention period. */
const MAX_SPAN = 400 * DAY

/** A number, also as the text that an address has. */
const wholeNumber = z.coerce
  .number({ error: ({ code }) => (code === 'invalid_type' ? 'a whole number is needed' : undefined) })
  .int()

export const id = wholeNumber.min(1).max(999_999_999_999_999)
export const IssueId = z.object({ id: id.describe('Id of the issue') })
export const name = z.string().min(1).max(250)
export const time = z.iso.datetime({ offset: true })
export const limit = wholeNumber.min(1).max(MAX_ROWS)

/** The page of a list. */
export const page = {
  limit: limit.optional(),
  cursor: z.string().max(200).describe('`next` of the page before').optional()
}

export const view = {
  project: id.optional(),
  environment: name.optional(),
  release: name.optional(),
  range: z
    .enum(Object.keys(RANGES) as [RangeName, ...RangeName[]])
    .optional()
    .describe('Time range until now; 24h by default'),
  since: time.optional().describe('Start of the time range, instead of `range`'),
  until: time.optional().describe('End of the time range; now by default')
}

/** @throws InboxRequestInvalid if the range is empty */
export function toView(input: z.output<z.ZodObject<typeof view>>): View {
  const { project, environment, release, range = '24h', since, until } = input
  const now = Date.now()
  const end = until === undefined ? now : Math.min(Date.parse(until), now + DAY)
  const start = since === undefined ? Math.min(end, now) - RANGES[range] : Date.parse(since)
  if (start >= end) throw new InboxRequestInvalid('"since" must be before "until"')
  return {
    since: Math.max(start, end - MAX_SPAN),
    until: end,
    ...((since !== undefined || until !== undefined) && { range: 'custom' }),
    ...(project !== undefined && { project }),
    ...(environment !== undefined && { environment }),
    ...(release !== undefined && { release })
  }
}
