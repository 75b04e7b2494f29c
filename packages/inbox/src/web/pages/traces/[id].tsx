import { notFound, type Ctx, type MetaCtx, type PageProps } from '@hull/shell/client'
import { requireReader } from '../../../access/guard.ts'
import { toView } from '../../view.ts'
import { clip, toVisibleText } from '@hull/common/visible-text.ts'
import { toSpanPanel } from '../../view-models/span-panel.ts'
import { toTraceHead } from '../../view-models/trace-head.ts'
import { toWaterfall } from '../../view-models/waterfall.ts'
import { TraceView } from '../../components/traces/trace-view.tsx'

export const layout = 'inbox'

export async function getData(ctx: Ctx<'/inbox/traces/[id]'>) {
  const { params, search } = ctx
  const traceId = params.id.toLowerCase()
  if (!/^[\da-f]{32}$/.test(traceId)) notFound('A trace id has 32 hexadecimal digits.')
  const { queries } = await requireReader(ctx)
  const trace = await queries.getTrace({ traceId })
  return {
    view: toView(search, Date.now()),
    traceId,
    head: toTraceHead(trace),
    waterfall: toWaterfall(trace),
    hasMoreErrors: trace.hasMoreErrors,
    hasMoreLogs: trace.hasMoreLogs,
    errors: trace.errors.map(({ value, ...error }) => ({ ...error, value: clip(value, 300) })),
    logs: trace.logs.map(({ body, ...line }) => ({ ...line, body: clip(body, 2_000) })),
    span: toSpanPanel(trace, search.get('span'))
  }
}

export const getMeta = ({ data }: MetaCtx<typeof getData>) => ({
  title: `${toVisibleText(data.head.name)} · Trace · Inbox`,
  robots: 'noindex'
})

export default function TracePage({ data }: PageProps<typeof getData>) {
  return <TraceView {...data} />
}
