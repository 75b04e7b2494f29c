import fp from 'fastify-plugin'
import inboxAccess, { type InboxAccessOptions } from './plugins/inbox-access.ts'

export interface InboxPagesOptions extends InboxAccessOptions {
  /** Envelopes a minute that come by one key; 0 is no limit. @default 6_000 */
  keyRate?: number
}

/**
 * Lets people into the inbox, serves what its pages ask for, and takes events of other services. The pages themselves are
 * a page root in vite.config.ts. Without an inbox nobody is let in, and nothing else is loaded.
 */
export default fp<InboxPagesOptions>(
  async function inboxPages(app, { keyRate, ...access }) {
    await app.register(inboxAccess, access)
    const { inbox } = app
    if (!inbox) return
    await app.register(import('./plugins/inbox-intake.ts'), { sink: inbox.sink, keyRate })
    await app.register(import('./routes.ts'), { inbox, baseUrl: access.baseUrl })
  },
  { name: 'inbox-pages', fastify: '5.x', dependencies: ['inbox', 'compression'] }
)
