import { isErrorCode } from '@hull/common/is-error-code.ts'
import type { Inbox } from '../../store/inbox.ts'
import { toWaterfall, type Waterfall } from './waterfall.ts'

/** Maximum rows of a trace on an issue's page, around the error. The trace's own page shows all. */
const MAX_ROWS = 40

/** Waterfall of an event's trace; undefined if the trace was not sampled or has been removed. */
export async function findEventTrace(
  { queries }: Pick<Inbox, 'queries'>,
  { traceId, eventId }: { traceId?: string; eventId: string }
): Promise<Waterfall | undefined> {
  if (traceId === undefined) return undefined
  try {
    const trace = await queries.getTrace({ traceId })
    return trace.spans.length === 0 ? undefined : cut(toWaterfall(trace, { error: eventId }))
  } catch (error) {
    if (isErrorCode(error, 'APP_INBOX_TRACE_NOT_FOUND')) return undefined
    throw error
  }
}

function cut(waterfall: Waterfall): Waterfall {
  const { rows, omitted } = waterfall
  if (rows.length <= MAX_ROWS) return waterfall
  const at = Math.max(
    rows.findIndex(({ errors }) => errors.some(({ isCurrent }) => isCurrent)),
    0
  )
  const from = Math.min(Math.max(at - MAX_ROWS / 2, 0), rows.length - MAX_ROWS)
  const shown = rows.slice(from, from + MAX_ROWS)
  const omittedRows = rows.filter((_, i) => i < from || i >= from + MAX_ROWS)
  return { ...waterfall, rows: shown, omitted: omitted + omittedRows.reduce((sum, { bars }) => sum + bars.length, 0) }
}
