import { safeCallback } from '@hull/common/safe-callback.ts'
import { BroadcastPackageMissing } from '../errors.ts'
import type { BroadcastDriver } from './broadcast.ts'
import { importOptional } from '@hull/common/import-optional.ts'

/** Name of the channel of LISTEN and NOTIFY. */
const CHANNEL = 'hull'

/** Milliseconds until a connection or an answer is given up. A guess. */
const TIMEOUT = 5_000

/**
 * Replicas reach each other by LISTEN and NOTIFY of PostgreSQL, on a connection of its own. The database needs no
 * tables. A pool that gives connections away between statements (PgBouncer by transaction) cannot LISTEN.
 * @throws BroadcastPackageMissing if `pg` is not installed
 */
export async function createPostgresDriver(url: string): Promise<BroadcastDriver> {
  const { default: pg } = await importOptional(
    () => import('pg'),
    () => new BroadcastPackageMissing('DATABASE_URL', 'pg', 'pg')
  )
  return {
    name: 'postgresql',
    async connect({ onText, onEnd }) {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'hull',
        keepAlive: true,
        connectionTimeoutMillis: TIMEOUT,
        query_timeout: TIMEOUT
      })
      client.on('error', safeCallback(onEnd))
      client.on(
        'end',
        safeCallback(() => onEnd(new Error('the database ended the connection')))
      )
      client.on(
        'notification',
        safeCallback(({ payload }) => void (payload && onText(payload)))
      )
      try {
        await client.connect()
        await client.query(`LISTEN ${CHANNEL}`)
      } catch (error) {
        // A standby refuses LISTEN. Each attempt would leave a connection behind.
        await client.end().catch(() => {})
        throw error
      }
      return {
        send: (text) => client.query('SELECT pg_notify($1, $2)', [CHANNEL, text]),
        check: () => client.query('SELECT 1'),
        close: () => client.end()
      }
    }
  }
}
