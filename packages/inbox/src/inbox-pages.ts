import fp from 'fastify-plugin'
import type { InboxOidcOptions } from './settings.ts'
import type { InboxAlertsOptions } from './plugins/inbox-alerts.ts'
import inboxAccess, { type InboxAccessOptions } from './plugins/inbox-access.ts'

export interface InboxPagesOptions extends Omit<InboxAccessOptions, 'provider'>, Omit<InboxAlertsOptions, 'baseUrl'> {
  /** Envelopes per minute that one DSN key may send; 0 means no limit. @default 6_000 */
  keyRate?: number
  /** Maximum bytes of an artifact bundle of source maps. @default 64 MiB */
  maxBundleBytes?: number
  /** Provider of OpenID Connect at which people sign in, from `toInboxPagesOptions`. @default none */
  oidc?: InboxOidcOptions
}

/**
 * Signs people in, serves the routes of the inbox's pages, accepts events of other services, and sends alerts. The
 * pages themselves are a page root in vite.config.ts. Without an inbox, /inbox answers 404 and nothing is loaded.
 */
export default fp<InboxPagesOptions>(
  async function inboxPages(app, { keyRate, maxBundleBytes, privateTargets, smtpUrl, mailFrom, oidc, ...access }) {
    const { baseUrl, basePath = '' } = access
    const alertsUrl = baseUrl && baseUrl + basePath
    await app.register(inboxAccess, { ...access, provider: oidc && new URL(oidc.issuer).host })
    const { inbox } = app
    if (!inbox) return
    if (oidc) await app.register(import('./plugins/inbox-oidc.ts'), { ...oidc, baseUrl, basePath })
    await app.register(import('./plugins/inbox-alerts.ts'), { baseUrl: alertsUrl, privateTargets, smtpUrl, mailFrom })
    await app.register(import('./plugins/inbox-intake.ts'), { sink: inbox.sink, keyRate })
    await app.register(import('./plugins/inbox-api.ts'), { inbox, baseUrl, basePath })
    await app.register(import('./plugins/inbox-uploads.ts'), { inbox, baseUrl, basePath, maxBundleBytes })
    await app.register(import('./routes.ts'), { inbox, baseUrl, basePath })
  },
  { name: 'inbox-pages', fastify: '5.x', dependencies: ['inbox', 'compression'] }
)
