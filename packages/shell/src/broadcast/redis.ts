import { completesWithin } from '@hull/common/completes-within.ts'
import { safeCallback } from '@hull/common/safe-callback.ts'
import { BroadcastPackageMissing } from '../errors.ts'
import type { BroadcastDriver } from './broadcast.ts'
import { importOptional } from '@hull/common/import-optional.ts'

/** Milliseconds until a connection or an answer is given up. A guess. */
const TIMEOUT = 5_000

/**
 * Replicas reach each other by PUBLISH and SUBSCRIBE of Redis or Valkey, on two connections.
 * @throws BroadcastPackageMissing if `redis` is not installed
 */
export async function createRedisDriver(url: string): Promise<BroadcastDriver> {
  const { createClient } = await importOptional(
    () => import('redis'),
    () => new BroadcastPackageMissing('REDIS_URL', 'redis', 'redis')
  )
  // Channels are those of the whole server: the number of the database keeps applications apart.
  const channel = `hull${new URL(url).pathname.replace(/\/$/, '')}`
  return {
    name: 'redis',
    async connect({ onText, onEnd }) {
      const clients = Array.from({ length: 2 }, () =>
        createClient({
          url,
          disableOfflineQueue: true,
          socket: { connectTimeout: TIMEOUT, reconnectStrategy: false }
        })
      )
      const [subscriber, publisher] = clients as [(typeof clients)[0], (typeof clients)[0]]
      for (const client of clients) {
        client.on('error', safeCallback(onEnd))
        client.on(
          'end',
          safeCallback(() => onEnd(new Error('the server ended the connection')))
        )
      }
      try {
        await waitForAnswer(Promise.all(clients.map((client) => client.connect())))
        await waitForAnswer(subscriber.subscribe(channel, onText))
      } catch (error) {
        for (const client of clients) client.destroy()
        throw error
      }
      return {
        send: (text) => waitForAnswer(publisher.publish(channel, text)),
        // The client's own heartbeat goes on after its end.
        check: () => waitForAnswer(Promise.all(clients.map((client) => client.ping()))),
        async close() {
          for (const client of clients) if (client.isOpen) client.destroy()
        }
      }
    }
  }
}

/** The client itself waits for an answer without end: only opening a connection and writing have timeouts. */
async function waitForAnswer(answer: Promise<unknown>): Promise<void> {
  if (!(await completesWithin(answer, TIMEOUT))) throw new Error('the server does not answer')
}
