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

const HANDLERS = new Map<string, ItemHandler>([
  ['transaction', storeTransaction],
  ['span', storeSpans],
  ['session', storeSession],
  ['sessions', storeSessions],
  ['client_report', storeClientReport],
  ['feedback', storeFeedback],
  ['user_report', storeUserReport],
  ['check_in', storeCheckIn],
  ['log', storeLogs],
  ['otel_log', storeLogs],
  ['attachment', storeAttachment]
])

/** The function that stores an item of a type; an unknown type is kept as it came. Events have a handler of their own. */
export const findHandler = (type: string): ItemHandler => HANDLERS.get(type) ?? storeRaw
