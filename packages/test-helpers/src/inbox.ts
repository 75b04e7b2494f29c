import type { FastifyInstance } from 'fastify'
import { eventually } from './patience.ts'

/** Waits until this number of items of a type was stored. @throws Error after a minute */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  await eventually(() => (app.inbox!.stats().stored[type] ?? 0) >= count)
}

/** Flushes the server's SDK. @returns items stored since the start */
export async function countStored(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(60_000)
  return Object.values(app.inbox!.stats().stored).reduce((sum, count) => sum + count, 0)
}
