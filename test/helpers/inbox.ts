import { DatabaseSync } from 'node:sqlite'
import type { FastifyInstance } from 'fastify'

/** Waits until so many items of a type were stored. */
export async function stored(app: FastifyInstance, type: string, count = 1): Promise<void> {
  while ((app.inbox!.stats().stored[type] ?? 0) < count) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Delivers what was reported, and tells how many envelopes were since the start. */
export async function countDelivered(app: FastifyInstance): Promise<number> {
  await app.telemetry!.flush(60_000)
  await app.tunnel!.flush(60_000)
  return app.tunnel!.stats().delivered
}

/** Projects in an inbox's file. */
export function countProjects(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(db.prepare('SELECT count(*) AS count FROM project').get()!.count)
  } finally {
    db.close()
  }
}

/** Adds a project to a file that nobody has open. */
export function addProject(file: string): void {
  const db = new DatabaseSync(file)
  db.exec("INSERT INTO project (name, key, created) VALUES ('Later', 'later', 0)")
  db.close()
}
