import { storeAttachment } from './attachment.ts'
import { storeCheckIn } from './check-in.ts'
import { storeClientReport } from './client-report.ts'
import type { ItemHandler } from './context.ts'
import { storeFeedback, storeUserReport } from './feedback.ts'
import { storeLogs } from './log.ts'
import { recordRaw } from './raw-item.ts'
import { storeSession, storeSessions } from './session.ts'
import { storeSpans } from './span.ts'
import { storeTransaction } from './transaction.ts'

/** Who stores an item, by its type. */
export const HANDLERS: Readonly<Record<string, ItemHandler>> = {
  transaction: storeTransaction,
  span: storeSpans,
  session: storeSession,
  sessions: storeSessions,
  client_report: storeClientReport,
  feedback: storeFeedback,
  user_report: storeUserReport,
  check_in: storeCheckIn,
  log: storeLogs,
  otel_log: storeLogs,
  attachment: storeAttachment
}

/** Who stores an item of this type; one of a type that is not understood is kept raw. */
export const handlerOf = (type: string): ItemHandler => (Object.hasOwn(HANDLERS, type) ? HANDLERS[type]! : recordRaw)

export { recordRaw }
