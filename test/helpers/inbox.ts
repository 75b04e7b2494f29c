import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

/** A data folder that outlives applications, removed with the test: each createTestApp empties t.testdir(). */
export function keepDataFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'hull-inbox-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Waits until so many items of a type were stored. */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  while ((app.inbox!.stats().stored[type] ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Delivers what was reported, and tells how many envelopes were since the start. */
export async function countDelivered(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(5_000)
  await app.tunnel!.flush(5_000)
  return app.tunnel!.stats().delivered
}
