import type { LocalReceiver } from '@hull/monitoring'
import { INBOX_DSN, INBOX_PATH, OWN_TARGET } from './addresses.ts'
import { toDeliverer } from './ingest/deliverer.ts'
import type { Inbox } from './store/inbox.ts'

/** The inbox as monitoring sees it: what takes envelopes in this process. */
export const toReceiver = (inbox: Inbox): LocalReceiver => ({
  target: OWN_TARGET,
  sink: inbox.sink,
  provider: { dsn: INBOX_DSN, deliverer: toDeliverer(inbox) },
  path: INBOX_PATH
})
