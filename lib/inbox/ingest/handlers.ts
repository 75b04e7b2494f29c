import { storeAttachment } from './attachment.ts'
import { storeCheckIn } from './check-in.ts'
import { storeClientReport } from './client-report.ts'
import type { ItemHandler } from './context.ts'
import { storeFeedback, storeUserReport } from './feedback.ts'
import { storeLogs } from './log.ts'
import { storeRaw } from './raw-item.ts'
import { storeSession, storeSessions } from './session.ts'
import { storeSpans } from './span.ts'
import { storeTransaction } from './transaction.ts'

/** What stores an item, by its type. */
export const handlers: Partial<Record<string, ItemHandler>> = Object.assign(Object.create(null), {
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
})

/** What stores an item of any other type. */
export const otherwise: ItemHandler | undefined = storeRaw
