import fp from 'fastify-plugin'
import type { Config, publicConfig } from '../../../../config.ts'

/** What pages may know of the application they are in. */
export interface Hull {
  config: Config
  /** What of it a browser may see. */
  publicConfig: ReturnType<typeof publicConfig>
  /** Id of the running build; `dev` while developing. */
  buildId: string
}

declare module 'fastify' {
  interface FastifyInstance {
    hull: Hull
  }
}

/** Makes configuration and build known to pages and plugins. */
export default fp<Hull>(
  async function hull(app, { config, publicConfig, buildId }) {
    app.decorate('hull', { config, publicConfig, buildId })
  },
  { name: 'hull', fastify: '5.x' }
)
