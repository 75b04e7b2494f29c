import fp from 'fastify-plugin'
import { createAlertLoop, type AlertLoop } from '../alerts/loop.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the alerts of the inbox. Present if there is an inbox. */
    inboxAlerts: InboxAlerts
  }
}

export interface InboxAlerts extends Pick<AlertLoop, 'run'> {
  /** Origin of the links in messages; undefined if BASE_URL is not set. */
  baseUrl: string | undefined
}

export interface InboxAlertsOptions {
  /** Origin that visitors use, for the links in messages. @default messages have no links */
  baseUrl?: string
  /** Whether alerts may be sent to private addresses. @default false */
  privateTargets?: boolean
}

/** Sends alerts of the inbox after the server has started. */
export default fp<InboxAlertsOptions>(
  async function inboxAlerts(app, { baseUrl, privateTargets = false }) {
    const { inbox } = app
    if (!inbox) return
    const loop = createAlertLoop({ inbox, log: app.log, allowPrivate: privateTargets, ...(baseUrl && { baseUrl }) })
    app.decorate('inboxAlerts', { run: loop.run, baseUrl })
    app.afterStart(loop.start)
    app.addHook('onClose', loop.close)
  },
  { name: 'inbox-alerts', fastify: '5.x', dependencies: ['inbox', 'after-start'] }
)
