import { z } from 'zod'
import type { TraceRow, TraceView } from '../../queries/traces/trace-types.ts'
import { errorTitle } from '../../web/error-title.ts'
import { defineOperation } from '../operation.ts'
import { page, toView, view } from '../params.ts'
import { Next, pick, Time, toTime } from '../results.ts'
import { writeTrace, writeTraces } from '../texts.ts'

export const Trace = z.object({
  traceId: z.string(),
  name: z.string(),
  side: z.enum(['browser', 'server']),
  at: Time,
  duration: z.number().describe('Milliseconds'),
  status: z.enum(['ok', 'error', 'cancelled']),
  release: z.string().optional()
})

const toTrace = (row: TraceRow): z.input<typeof Trace> => pick(Trace, { ...row, at: toTime(row.start) })

export const TraceWithSpans = z.object({
  traceId: z.string(),
  at: Time,
  duration: z.number().describe('Milliseconds'),
  spans: z
    .array(
      z.object({
        spanId: z.string(),
        parentId: z.string().optional(),
        depth: z.int(),
        side: z.enum(['browser', 'server']),
        name: z.string(),
        op: z.string(),
        status: z.enum(['ok', 'error', 'cancelled']),
        offset: z.number().describe('Milliseconds after the start of the trace'),
        duration: z.number().describe('Milliseconds'),
        attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      })
    )
    .describe('In the order of the waterfall'),
  omitted: z.int().describe('Spans that are not listed'),
  errors: z.array(z.object({ issue: z.int(), eventId: z.string(), title: z.string(), at: Time })),
  logs: z.array(z.object({ at: Time, level: z.string(), body: z.string() }))
})

const toTraceWithSpans = ({
  traceId,
  start,
  duration,
  spans,
  omitted,
  errors,
  logs
}: TraceView): z.input<typeof TraceWithSpans> => ({
  traceId,
  at: toTime(start / 1_000),
  duration: duration / 1_000,
  spans: spans.map((span) => ({
    spanId: span.spanId,
    parentId: span.parentId,
    depth: span.depth,
    side: span.side,
    name: span.name,
    op: span.op,
    status: span.status,
    offset: (span.start - start) / 1_000,
    duration: span.duration / 1_000,
    attributes: span.attributes
  })),
  omitted,
  errors: errors.map(({ issue, eventId, type, value, at }) => ({
    issue,
    eventId,
    title: errorTitle({ type, value }),
    at: toTime(at)
  })),
  logs: logs.map(({ at, level, body }) => ({ at: toTime(at), level, body }))
})

export const traceOperations = {
  listTraces: defineOperation({
    summary: 'List traces',
    scope: 'read',
    input: z.object({
      ...view,
      route: z.string().max(300).optional(),
      sort: z.enum(['newest', 'slowest']).optional(),
      ...page
    }),
    output: z.object({ traces: z.array(Trace), next: Next }),
    async run({ inbox }, { route, sort, limit, cursor, ...rest }) {
      const { traces, next } = await inbox.queries.listTraces({ view: toView(rest), route, sort, limit, cursor })
      return { traces: traces.map(toTrace), next }
    },
    tool: {
      name: 'find_traces',
      description: 'Lists traces (page loads and requests with their spans), newest or slowest first.',
      text: writeTraces
    }
  }),

  getTrace: defineOperation({
    summary: 'Read a trace',
    scope: 'read',
    input: z.object({ traceId: z.string().regex(/^[\da-f]{32}$/, 'expected 32 hex digits') }),
    output: TraceWithSpans,
    run: async ({ inbox }, { traceId }) => toTraceWithSpans(await inbox.queries.getTrace({ traceId })),
    tool: {
      name: 'read_trace',
      description: 'Reads a trace as Markdown: its spans as a tree with times, its errors and its logs.',
      text: writeTrace
    }
  })
}
