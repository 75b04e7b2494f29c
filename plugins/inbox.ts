import {
  hasOwnSecret,
  INBOX_PATH,
  inbox,
  inboxPages,
  toInboxPagesOptions,
  toInboxSettings,
  toReceiver
} from '@hull/inbox'
import fp from 'fastify-plugin'
import type {} from '@hull/shell'
import type {} from '../config.ts'
import type {} from './navigation.ts'
import { LAB_SAMPLE } from '../routes/lab/sample.ts'

declare module 'fastify' {
  interface FastifyInstance {
    inboxState: () => InboxState
  }
}

/**
 * Where errors can be read: in the inbox, which opens with the printed link, or with a password or a provider; in a
 * closed inbox; at another provider; nowhere.
 */
export type InboxState = 'link' | 'password' | 'closed' | 'elsewhere' | 'off'

export interface ApplicationInboxOptions {
  /** The project's folder. */
  root: string
  /** Source maps of the build; undefined in development. */
  mapsFolder: string | undefined
  /** Name of the running version. */
  release: string
}

/** Opens the inbox, which stores errors and traces. If SENTRY_DSN names another provider, the inbox is opened only with INBOX=on. */
export default fp<ApplicationInboxOptions>(
  async function applicationInbox(app, { root, mapsFolder, release }) {
    const { config } = app.hull
    const isOn = config.inbox ?? config.sentryDsn === undefined
    await app.register(inbox, {
      sample: config.lab ? LAB_SAMPLE : undefined,
      broadcast: app.broadcast,
      hasOwnSecret: hasOwnSecret(config),
      settings: isOn ? { ...toInboxSettings(config), root, mapsFolder, release } : undefined
    })
    if (app.inbox) app.decorate('receiver', toReceiver(app.inbox))
  },
  { name: 'application-inbox', fastify: '5.x', dependencies: ['hull', 'after-start', 'broadcast'] }
)

export interface ApplicationInboxPagesOptions {
  /** Secrets of sessions: the first signs, others were used before. */
  secret: [current: string, ...previous: string[]]
  /** Receives the sign-in link at a local start. @default standard output */
  print?: (text: string) => void
}

/** Registers the inbox's pages and its link in the navigation. */
export const applicationInboxPages = fp<ApplicationInboxPagesOptions>(
  async function applicationInboxPages(app, { secret, print }) {
    const { config } = app.hull
    const { local, host, baseUrl } = config
    const { basePath, broadcast } = app
    const options = { ...toInboxPagesOptions(config), secret, local, host, baseUrl, basePath, broadcast, print }
    await app.register(inboxPages, options)
    const { isOpen, way } = app.inboxAccess
    app.decorate('inboxState', () => {
      if (!app.inbox) return config.sentryDsn === undefined ? 'off' : 'elsewhere'
      if (!isOpen) return 'closed'
      return way === 'link' ? 'link' : 'password'
    })
    // With a password, the navigation does not show the inbox to visitors.
    app.navigation.push({ href: INBOX_PATH, label: 'Inbox', isShown: () => isOpen && way === 'link' })
  },
  { name: 'application-inbox-pages', fastify: '5.x', dependencies: ['application-inbox', 'navigation', 'session'] }
)
