import fp from 'fastify-plugin'
import type { InboxAlertsOptions } from './plugins/inbox-alerts.ts'
import inboxAccess, { type InboxAccessOptions } from './plugins/inbox-access.ts'

export interface InboxPagesOptions extends InboxAccessOptions, Omit<InboxAlertsOptions, 'baseUrl'> {
  /** Envelopes per minute that one DSN key may send; 0 means no limit. @default 6_000 */
  keyRate?: number
}

/**
 * Signs people in, serves the routes of the inbox's pages, accepts events of other services, and sends alerts. The
 * pages themselves are a page root in vite.config.ts. Without an inbox, /inbox answers 404 and nothing is loaded.
 */
export default fp<InboxPagesOptions>(
  async function inboxPages(app, { keyRate, privateTargets, smtpUrl, mailFrom, ...access }) {
    const { baseUrl, basePath = '' } = access
    const alertsUrl = baseUrl && baseUrl + basePath
    await app.register(inboxAccess, access)
    const { inbox } = app
    if (!inbox) return
    await app.register(import('./plugins/inbox-alerts.ts'), { baseUrl: alertsUrl, privateTargets, smtpUrl, mailFrom })
    await app.register(import('./plugins/inbox-intake.ts'), { sink: inbox.sink, keyRate })
    await app.register(import('./plugins/inbox-api.ts'), { inbox, baseUrl, basePath })
    await app.register(import('./routes.ts'), { inbox, baseUrl, basePath })
  },
  { name: 'inbox-pages', fastify: '5.x', dependencies: ['inbox', 'compression'] }
)
