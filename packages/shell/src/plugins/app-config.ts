import type { HullConfig, HullPublicConfig } from 'fastify'
import fp from 'fastify-plugin'

/** What pages and plugins may know of the application they are in. */
export interface Hull {
  config: HullConfig
  /** What of it a browser may see. */
  publicConfig: HullPublicConfig
  /** Id of the running build; `dev` while developing. */
  buildId: string
}

declare module 'fastify' {
  /** The application's settings. An application declares its own: `interface HullConfig extends Config {}`. */
  interface HullConfig {}
  /** Those of them that a browser may see. */
  interface HullPublicConfig {}
  interface FastifyInstance {
    hull: Hull
  }
}

/** Makes the configuration and the build known to pages and plugins. */
export default fp<Hull>(
  async function hull(app, { config, publicConfig, buildId }) {
    app.decorate('hull', { config, publicConfig, buildId })
  },
  { name: 'hull', fastify: '5.x' }
)
