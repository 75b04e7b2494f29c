import type { FastifyInstance } from 'fastify'

/** Waits until this number of items of a type was stored. */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  while ((app.inbox!.stats().stored[type] ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Flushes the server's SDK. @returns items stored since the start */
export async function countStored(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(60_000)
  return Object.values(app.inbox!.stats().stored).reduce((sum, count) => sum + count, 0)
}
