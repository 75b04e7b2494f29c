import { dirname } from 'node:path'
import fp from 'fastify-plugin'
import type { Inbox } from '../store/inbox.ts'
import type { LazyInbox } from '../store/lazy-inbox.ts'
import { INBOX_PATH } from '../addresses.ts'
import type { InboxSettings } from '../store/messages.ts'
import type {} from '@hull/common/route-config.ts'
import type { Metrics } from '@hull/common/metrics.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The provider in this process; null where there is one outside. */
    inbox: (Inbox & Partial<Pick<LazyInbox, 'open'>>) | null
    /** What screens say of the set-up. */
    inboxSetup: InboxSetup
  }
}

/** Pages of the application that an empty inbox links to. */
export interface InboxSample {
  /** A page that causes an error. */
  error: Link
  /** Any page: its load sends a trace and web vitals. */
  page: Link
}

interface Link {
  href: string
  label: string
}

export interface InboxSetup {
  /** The folder of the inbox's file. */
  folder: string
  sample?: InboxSample
}

export interface InboxOptions {
  /** What to open. Without it no file is, and nothing answers below /inbox. */
  settings?: InboxSettings
  /** Pages that fill an empty inbox. @default empty screens link to none */
  sample?: InboxSample
}

/**
 * Opens the inbox, behind the start of the server or when it is first asked. Registered before its senders: Fastify
 * closes in the opposite order.
 */
export default fp<InboxOptions>(
  async function inbox(app, { settings, sample }) {
    app.decorate('inboxSetup', { folder: settings ? dirname(settings.file) : '', sample })
    if (settings === undefined) {
      app.decorate('inbox', null)
      return
    }
    const { createLazyInbox } = await import('../store/lazy-inbox.ts')
    const inbox = createLazyInbox(async () => {
      const { openInbox } = await import('../store/open.ts')
      return openInbox({ ...settings, log: app.log })
    })
    app.decorate('inbox', inbox)
    app.afterStart(inbox.open)
    app.addHook('onReady', async function watchInbox() {
      if (app.hasDecorator('metrics')) countInbox(app.metrics, inbox)
    })
    app.addHook('onClose', () => inbox.close())

    // What looks at errors and traces must not make more of them.
    app.addHook('onRoute', function leaveUnwatched(route) {
      if (isBelow(route.url)) route.config = { ...route.config, untraced: true, unreported: true }
    })
  },
  { name: 'inbox', fastify: '5.x', dependencies: ['after-start'] }
)

const isBelow = (url: string) => url === INBOX_PATH || url.startsWith(`${INBOX_PATH}/`)

function countInbox({ gauge, series }: Metrics, { stats }: Inbox) {
  series({
    name: 'inbox_stored_items_total',
    help: 'Items stored, by type.',
    type: 'counter',
    labelNames: ['type'],
    read: () => Object.entries(stats().stored).map(([type, value]) => ({ labels: { type }, value }))
  })
  series({
    name: 'inbox_dropped_items_total',
    help: 'Items of accepted envelopes that were not stored, by reason and data category.',
    type: 'counter',
    labelNames: ['reason', 'category'],
    read: () =>
      stats().drops.map(({ reason, category, quantity }) => ({ labels: { reason, category }, value: quantity }))
  })
  gauge({ name: 'inbox_bytes', help: 'Bytes of the file that hold something.', read: () => stats().bytes })
  gauge({
    name: 'inbox_waiting_envelopes',
    help: 'Envelopes that are not committed yet.',
    read: () => stats().waiting.envelopes
  })
  gauge({
    name: 'inbox_waiting_bytes',
    help: 'Bytes of envelopes that are not committed yet.',
    read: () => stats().waiting.bytes
  })
  gauge({ name: 'inbox_available', help: '1 while what comes is stored.', read: () => Number(stats().available) })
  gauge({
    name: 'inbox_lag_seconds',
    help: 'Time from the receipt of the newest envelope to its commit.',
    read: () => stats().lag / 1_000
  })
}
