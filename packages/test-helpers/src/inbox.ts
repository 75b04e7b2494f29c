import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'
import { eventually } from './patience.ts'

/** Waits until this number of items of a type was stored. @throws AssertionError after a minute */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  const number = () => app.inbox!.stats().stored[type] ?? 0
  assert.ok(await eventually(() => number() >= count), `${number()} of ${count} items of the type ${type} are stored`)
}

/** Flushes the server's SDK. @returns items stored since the start */
export async function countStored(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(60_000)
  return Object.values(app.inbox!.stats().stored).reduce((sum, count) => sum + count, 0)
}
