import { dirname } from 'node:path'
import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/shell'
import type { Inbox, News } from '../store/inbox.ts'
import { createLazyInbox, type LazyInbox } from '../store/lazy-inbox.ts'
import { isInboxPath } from '../addresses.ts'
import type { InboxSettings } from '../store/messages.ts'
import type { InboxOptions as OpenOptions } from '../store/open.ts'
import type {} from '@hull/common/route-config.ts'
import type { Metrics } from '@hull/common/metrics.ts'
import { findMetrics } from '@hull/common/optional-decorators.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Inbox of this process; null if it is off or another provider is used. */
    inbox: (Inbox & Partial<Pick<LazyInbox, 'open'>>) | null
    /** Facts about the installation that screens show. */
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

export interface InboxSetup extends Required<Pick<InboxOptions, 'hasOwnSecret' | 'isAlone'>> {
  /** Folder of the inbox's file, or of envelopes that wait for the database. */
  folder: string
  /** Whether the inbox is in a database, which replicas share. */
  isShared: boolean
  sample?: InboxSample
  /** Converts the Markdown of a comment to HTML that is safe to show. */
  toCommentHtml: (text: string) => Promise<string>
}

export interface InboxOptions {
  /** Settings of the inbox, from `toInboxSettings`. @default none: no file is opened, and /inbox is 404 */
  settings?: InboxSettings & Pick<OpenOptions, 'spool'>
  /** Updates live screens at all replicas with one inbox: `app.broadcast`. @default at this process only */
  broadcast?: Broadcast
  /** Pages that an empty inbox links to, to send its first events. @default none */
  sample?: InboxSample
  /** Whether each replica signs sessions with a secret of its own, which the doctor reports: `hasOwnSecret(config)`. @default false */
  hasOwnSecret?: boolean
  /** Whether the inbox runs without an application, so that only services with a DSN report to it. @default false */
  isAlone?: boolean
}

/**
 * Opens the inbox after the server has started, or at its first use. Register it before the plugins that send to it, since
 * Fastify closes in reverse order.
 */
export default fp<InboxOptions>(
  async function inbox(app, { settings, broadcast, sample, hasOwnSecret = false, isAlone = false }) {
    const folder = settings ? dirname(settings.file) : ''
    const isShared = settings?.database !== undefined
    app.decorate('inboxSetup', { folder, isShared, sample, hasOwnSecret, isAlone, toCommentHtml })
    if (settings === undefined) {
      app.decorate('inbox', null)
      return
    }
    const inbox = createLazyInbox(async () => {
      const { openInbox } = await import('../store/open.ts')
      const opened = await openInbox({ ...settings, ...(isAlone && { firstProject: 'First project' }), log: app.log })
      if (publish) opened.onNews(publish)
      return opened
    })
    const publish = isShared && broadcast ? joinReplicas(broadcast, inbox) : undefined
    app.decorate('inbox', inbox)
    app.afterStart(inbox.open)
    app.addHook('onReady', async function watchInbox() {
      const metrics = findMetrics(app)
      if (metrics) countInbox(metrics, inbox)
    })
    app.addHook('onClose', () => inbox.close())

    // Requests for the inbox's own pages must not add errors and traces.
    app.addHook('onRoute', function disableReporting(route) {
      if (isInboxPath(route.url)) route.config = { ...route.config, untraced: true, unreported: true }
    })
  },
  { name: 'inbox', fastify: '5.x', dependencies: ['after-start'] }
)

/** Maximum issues in one message to other replicas, whose size is limited. */
const MAX_ISSUES = 300

/** Exchanges news with the other replicas. @returns sends them the news of this one */
function joinReplicas(broadcast: Broadcast, inbox: LazyInbox): (news: News) => void {
  const publish = broadcast.join('inbox', {
    onMessage: (message) => inbox.announce(JSON.parse(message) as News),
    onGap: () => inbox.announce({ issues: [], hasLogs: true, isCut: true })
  })
  return ({ issues, ...news }) => {
    const isCut = issues.length > MAX_ISSUES
    void publish(
      JSON.stringify({ ...news, issues: issues.slice(0, MAX_ISSUES), ...(isCut && { isCut }) } satisfies News)
    )
  }
}

/** Loads the parser with the first comment. */
async function toCommentHtml(text: string): Promise<string> {
  const { toCommentHtml } = await import('../comment-html.ts')
  return toCommentHtml(text)
}

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
  gauge({
    name: 'inbox_bytes',
    help: 'Bytes of the used pages of the file, or of the tables in the database.',
    read: () => stats().bytes
  })
  gauge({
    name: 'inbox_waiting_envelopes',
    help: 'Envelopes that wait for their commit.',
    read: () => stats().waiting.envelopes
  })
  gauge({
    name: 'inbox_waiting_bytes',
    help: 'Bytes of envelopes that wait for their commit.',
    read: () => stats().waiting.bytes
  })
  gauge({
    name: 'inbox_spooled_envelopes',
    help: 'Envelopes in the spool, which wait until the database can be reached.',
    read: () => stats().spooled.envelopes
  })
  gauge({
    name: 'inbox_spooled_oldest_seconds',
    help: 'Seconds since the oldest envelope in the spool was received; 0 if there is none.',
    read: () => stats().spooled.oldestAge / 1_000
  })
  gauge({
    name: 'inbox_available',
    help: '1 if received envelopes can be stored, otherwise 0.',
    read: () => Number(stats().available)
  })
  gauge({
    name: 'inbox_lag_seconds',
    help: 'Seconds from the receipt of the newest envelope to its commit.',
    read: () => stats().lag / 1_000
  })
}
