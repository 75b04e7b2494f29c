import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import type { InboxOidcOptions } from './settings.ts'
import inboxAccess, { type InboxAccessOptions } from './plugins/inbox-access.ts'
import inboxAlerts, { type InboxAlertsOptions } from './plugins/inbox-alerts.ts'
import inboxApi from './plugins/inbox-api.ts'
import inboxIntake from './plugins/inbox-intake.ts'
import inboxUploads from './plugins/inbox-uploads.ts'
import inboxRoutes from './routes.ts'

export interface InboxPagesOptions
  extends
    Omit<InboxAccessOptions, 'provider' | 'broadcast'>,
    Omit<InboxAlertsOptions, 'inbox' | 'baseUrl' | 'broadcast'> {
  /** Envelopes per minute that one DSN key may send; 0 means no limit. @default 6_000 */
  keyRate?: number
  /** Maximum bytes of an artifact bundle of source maps. @default 64 MiB */
  maxBundleBytes?: number
  /**
   * Counts failed sign-ins, envelopes and requests at all replicas together, if they share the inbox: `app.broadcast`.
   * @default one replica
   */
  broadcast?: Broadcast
  /** Provider of OpenID Connect at which people sign in, from `toInboxPagesOptions`. @default none */
  oidc?: InboxOidcOptions
}

/**
 * Signs people in, serves the routes of the inbox's pages, accepts events of other services, and sends alerts. The
 * pages themselves are a page root in vite.config.ts. Without an inbox, /inbox answers 404.
 */
export default fp<InboxPagesOptions>(
  async function inboxPages(app, options) {
    const { keyRate, maxBundleBytes, privateTargets, smtpUrl, mailFrom, oidc, ...access } = options
    const { baseUrl, basePath = '' } = access
    // Replicas with inboxes of their own have other people and tokens under the same ids.
    const broadcast = app.inboxSetup.isShared ? access.broadcast : undefined
    const common = { baseUrl, basePath, broadcast }
    await app.register(inboxAccess, { ...access, broadcast, provider: oidc && new URL(oidc.issuer).host })
    const { inbox } = app
    if (!inbox) return
    if (oidc) await app.register(import('./plugins/inbox-oidc.ts'), { ...oidc, baseUrl, basePath })
    await app.register(inboxAlerts, {
      inbox,
      baseUrl: baseUrl && baseUrl + basePath,
      privateTargets,
      smtpUrl,
      mailFrom,
      broadcast
    })
    await app.register(inboxIntake, { inbox, keyRate, broadcast })
    await app.register(inboxApi, { inbox, ...common })
    await app.register(inboxUploads, { inbox, baseUrl, basePath, maxBundleBytes })
    await app.register(inboxRoutes, { inbox, ...common })
  },
  { name: 'inbox-pages', fastify: '5.x', dependencies: ['inbox', 'compression'] }
)
