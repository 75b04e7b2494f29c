import fp from 'fastify-plugin'

export interface NavigationEntry {
  href: string
  label: string
  /** Asked on every request. @default always shown */
  isShown?: () => boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Entries of the main navigation after the home page, in their order. Plugins and routes add theirs. */
    navigation: NavigationEntry[]
  }
}

/** The main navigation: the layout shows what is here, and knows no part of the application by name. */
export default fp(
  async function navigation(app) {
    app.decorate('navigation', [])
  },
  { name: 'navigation', fastify: '5.x' }
)
