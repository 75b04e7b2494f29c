import type { HullConfig, HullPublicConfig } from 'fastify'
import fp from 'fastify-plugin'

/** Decorates `app.hull`: the configuration and the build, for pages and plugins. */
export interface Hull {
  /** Configuration of the application. */
  config: HullConfig
  /** Values of the configuration that browsers may see. */
  publicConfig: HullPublicConfig
  /** Id of the running build; `dev` while developing. */
  buildId: string
}

declare module 'fastify' {
  /** The application's settings. An application declares its own: `interface HullConfig extends Config {}`. */
  interface HullConfig {}
  /** Settings that a browser may see. */
  interface HullPublicConfig {}
  interface FastifyInstance {
    hull: Hull
  }
}

/** Decorates `app.hull` with the configuration and the id of the build. */
export default fp<Hull>(
  async function hull(app, { config, publicConfig, buildId }) {
    app.decorate('hull', { config, publicConfig, buildId })
  },
  { name: 'hull', fastify: '5.x' }
)
