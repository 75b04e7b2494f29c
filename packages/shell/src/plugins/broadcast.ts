import fp from 'fastify-plugin'
import type { Broadcast } from '@hull/common/broadcast.ts'
import { createBroadcast } from '../broadcast/broadcast.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Messages between the replicas of the application. */
    broadcast: Broadcast
  }
}

export interface BroadcastPluginOptions {
  /** PostgreSQL, such as `postgresql://user:password@db/hull`. @default none */
  databaseUrl?: string | undefined
  /** Redis or Valkey, such as `redis://cache:6379`, instead of PostgreSQL. @default none */
  redisUrl?: string | undefined
}

/**
 * Connects the replicas of the application, for `PageCache` and whatever else joins a channel. Without an address it
 * reaches this process only. The server starts, and serves, while there is no connection.
 * @throws BroadcastPackageMissing if the package of the address is not installed
 */
export default fp<BroadcastPluginOptions>(
  async function broadcast(app, options) {
    const driver = await createDriver(options)
    const { close, isConnected, join } = createBroadcast({
      ...(driver && { driver }),
      onOutage: ({ message }) =>
        app.log.error({ reason: message }, `no connection to other replicas by ${driver!.name}; trying again`),
      onConnected: () => app.log.info(`connected to other replicas by ${driver!.name}`)
    })
    app.decorate('broadcast', { join, isConnected })
    app.addHook('onClose', close)
    if (driver)
      app.metrics.gauge({
        name: 'broadcast_connected',
        help: '1 if messages reach other replicas, otherwise 0.',
        read: () => Number(isConnected())
      })
  },
  { name: 'broadcast', fastify: '5.x', dependencies: ['health'] }
)

async function createDriver({ databaseUrl, redisUrl }: BroadcastPluginOptions) {
  if (redisUrl !== undefined) return (await import('../broadcast/redis.ts')).createRedisDriver(redisUrl)
  if (databaseUrl !== undefined) return (await import('../broadcast/postgres.ts')).createPostgresDriver(databaseUrl)
  return undefined
}
