import fp from 'fastify-plugin'

export interface NavigationEntry {
  href: string
  label: string
  /** Called on every request. @default always shown */
  isShown?: () => boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Entries of the main navigation after the home page, in order. Plugins and routes add their own. */
    navigation: NavigationEntry[]
  }
}

/** The main navigation. The layout shows its entries and does not know the parts of the application by name. */
export default fp(
  async function navigation(app) {
    app.decorate('navigation', [])
  },
  { name: 'navigation', fastify: '5.x' }
)
